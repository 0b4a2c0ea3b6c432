import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Example } from './example.ts';
import type { ThirdParty } from './third-party.ts';

const workspace = createRequire(import.meta.url);

const TIMEOUT_MS = 60_000;
/** The two ways in which users resolve modules today. */
const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
] as const;

/** What browsers have as Node.js does, besides the language. */
const PAGE_GLOBALS = [
  'console',
  'structuredClone',
  'queueMicrotask',
  'setTimeout',
  'clearTimeout',
  'TextEncoder',
  'TextDecoder',
  'AbortController',
  'AbortSignal',
];

/** A project outside of the workspace that installs tarballs and uses them as a user would. */
export class Consumer {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  /** @param env what its programs get besides the environment of this process */
  constructor(folder: string, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    // What an example prints is compared as text: without the colours that a runner asks for.
    this.#env = { ...process.env, ...env, NO_COLOR: '1', FORCE_COLOR: '0' };
  }

  /**
   * Installs from the tarballs and from what lies in the workspace: a package they do not bring along is an error, nothing
   * comes from a registry.
   *
   * @param thirdParty packages that npm finds installed already
   */
  install(tarballs: readonly string[], thirdParty: readonly ThirdParty[]): void {
    for (const { name, folder } of thirdParty) {
      // Without packages inside of packages: all that is needed lies side by side.
      cpSync(folder, join(this.#folder, 'node_modules', name), {
        recursive: true,
        dereference: true,
        filter: (path) => basename(path) !== 'node_modules',
      });
    }
    mkdirSync(this.#folder, { recursive: true });
    const dependencies = Object.fromEntries(thirdParty.map(({ name }) => [name, '*']));
    this.#write('package.json', JSON.stringify({ name: 'consumer', private: true, dependencies }));
    const flags = [
      '--offline',
      '--ignore-scripts',
      '--omit=optional',
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

  /** Compiles imports of the modules from a CommonJS and an ES module, declaration files included; and an example. */
  typeCheck(modules: readonly string[], example: Example | undefined): void {
    const imports = modules.map((module, index) => `export * as m${index} from '${module}';\n`).join('');
    const files = {
      'consumer.mts': imports,
      'consumer.cts': imports,
      'example.mts': example?.typescript ?? '',
    };
    for (const [file, code] of Object.entries(files)) this.#write(file, code);
    for (const resolution of RESOLUTIONS) {
      const compilerOptions = {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        target: 'es2022',
        lib: ['es2023', 'esnext.disposable'],
        types: ['node'],
        typeRoots: [join(workspace.resolve('@types/node/package.json'), '../..')],
        ...resolution,
      };
      this.#write('tsconfig.json', JSON.stringify({ compilerOptions, files: Object.keys(files) }));
      this.#run(process.execPath, [workspace.resolve('typescript/bin/tsc'), '-p', '.']);
    }
  }

  /** What an example prints as an ES module. */
  runModule({ esm }: Example): string {
    this.#write('example.mjs', esm);
    return this.#run(process.execPath, ['example.mjs']);
  }

  /** What an example prints as a CommonJS module. */
  runCommonJs({ commonjs }: Example): string {
    this.#write('example.cjs', commonjs);
    return this.#run(process.execPath, ['example.cjs']);
  }

  /** What an example prints as one file that a bundler has made of it and its packages, which are gone then. */
  runBundled({ commonjs }: Example): string {
    this.#bundle(commonjs, 'node');
    const packages = join(this.#folder, 'node_modules');
    const away = join(dirname(this.#folder), 'away');
    renameSync(packages, away);
    try {
      return this.#run(process.execPath, ['bundle.cjs']);
    } finally {
      renameSync(away, packages);
    }
  }

  /** What an example prints in a page: bundled for browsers, which refuses what only Node.js has, and run without its globals. */
  runInPage({ commonjs }: Example): string {
    this.#bundle(commonjs, 'browser');
    const page =
      `const page = vm.createContext({ ${PAGE_GLOBALS.join(', ')} });` +
      "vm.runInContext(fs.readFileSync('bundle.cjs', 'utf8'), page);";
    return this.#run(process.execPath, ['-e', page]);
  }

  #bundle(commonjs: string, platform: 'node' | 'browser'): void {
    this.#write('bundled.cjs', commonjs);
    buildSync({
      absWorkingDir: this.#folder,
      entryPoints: ['bundled.cjs'],
      bundle: true,
      platform,
      outfile: join(this.#folder, 'bundle.cjs'),
      logLevel: 'error',
    });
  }

  #names(flags: readonly string[], statement: string): string[] {
    const code = `${statement} console.log(JSON.stringify(Object.keys(all).sort()));`;
    return JSON.parse(this.#run(process.execPath, [...flags, '-e', code])) as string[];
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.#folder, file), text);
  }

  #run(command: string, args: readonly string[]): string {
    try {
      return execFileSync(command, args, {
        cwd: this.#folder,
        env: this.#env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: TIMEOUT_MS,
      });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`, { cause: error });
    }
  }
}
