import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const workspace = createRequire(import.meta.url);

/** A project outside of the workspace that installs tarballs and uses them as a user would. */
export class Consumer {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Installs from the tarballs alone: a package they do not bring along is an error, nothing comes from a registry. */
  install(tarballs: readonly string[]): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
    const flags = [
      '--offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      '--silent',
    ];
    this.#run('npm', ['install', ...flags, ...tarballs]);
  }

  /** The names a CommonJS module gets from `require(module)`. */
  required(module: string): string[] {
    return this.#names(['--input-type=commonjs'], `const all = require('${module}');`);
  }

  /** The names an ES module gets from `import * from module`. */
  imported(module: string): string[] {
    return this.#names(['--input-type=module'], `import * as all from '${module}';`);
  }

  /** Whether an RsError made by one copy of @rs/core is an `instanceof` of the other copy's class, both ways. */
  errorsCrossCopies(): boolean {
    const code = `
      import { createRequire } from 'node:module';
      import { RsError as Esm } from '@rs/core';
      const { RsError: Cjs } = createRequire(import.meta.url)('@rs/core');
      const made = (Copy) => new Copy('RS_CLOSED', 'closed');
      console.log(JSON.stringify(Esm !== Cjs && made(Esm) instanceof Cjs && made(Cjs) instanceof Esm));
    `;
    return this.#run(process.execPath, ['--input-type=module', '-e', code]) === 'true\n';
  }

  /** Compiles imports of the modules from a CommonJS and an ES module, declaration files included. */
  typeCheck(modules: readonly string[]): void {
    const imports = modules.map((module, index) => `export * as m${index} from '${module}';\n`).join('');
    const files = ['consumer.mts', 'consumer.cts'];
    for (const file of files) writeFileSync(join(this.#folder, file), imports);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(workspace.resolve('@types/node/package.json'), '../..')],
    };
    writeFileSync(join(this.#folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    this.#run(process.execPath, [workspace.resolve('typescript/bin/tsc'), '-p', '.']);
  }

  #names(flags: readonly string[], statement: string): string[] {
    const code = `${statement} console.log(JSON.stringify(Object.keys(all).sort()));`;
    return JSON.parse(this.#run(process.execPath, [...flags, '-e', code])) as string[];
  }

  #run(command: string, args: readonly string[]): string {
    try {
      return execFileSync(command, args, {
        cwd: this.#folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`, { cause: error });
    }
  }
}
