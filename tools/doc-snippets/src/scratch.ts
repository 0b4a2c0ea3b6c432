import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Snippet } from './extract.ts';

const TIMEOUT_MS = 20_000;

const COMPILER_OPTIONS = {
  noEmit: true,
  composite: false,
  declaration: false,
  declarationMap: false,
  emitDeclarationOnly: false,
  moduleDetection: 'force',
  // A snippet may show a value without using it.
  noUnusedLocals: false,
  noUnusedParameters: false,
};

interface Ended {
  readonly failure: string | null;
  readonly stdout: string;
}

/** A folder beside the Markdown file that holds the snippets as files: imports resolve there as they do for a reader. */
export class Scratch {
  readonly #markdownFile: string;
  readonly #folder: string;
  readonly #workspace: string;

  private constructor(markdownFile: string, folder: string, workspace: string) {
    this.#markdownFile = markdownFile;
    this.#folder = folder;
    this.#workspace = workspace;
  }

  static create(markdownFile: string, snippets: readonly Snippet[]): Scratch {
    const workspace = workspaceOf(markdownFile);
    const folder = mkdtempSync(join(dirname(markdownFile), '.doc-snippets-'));
    for (const snippet of snippets) writeFileSync(join(folder, fileOf(snippet)), snippet.code);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(workspace, 'tsconfig.base.json'),
        compilerOptions: COMPILER_OPTIONS,
        files: snippets.map(fileOf),
      }),
    );
    return new Scratch(markdownFile, folder, workspace);
  }

  /** Checks all snippets in one program; the result is the compiler's complaints, empty when there are none. */
  async typeErrors(): Promise<string> {
    const tsc = createRequire(join(this.#workspace, 'package.json')).resolve('typescript/bin/tsc');
    const { failure, stdout } = await this.#node(
      [tsc, '-p', this.#folder, '--pretty', 'false'],
      3 * TIMEOUT_MS,
    );
    return failure === null ? '' : this.#named(stdout === '' ? failure : stdout);
  }

  /**
   * Runs one snippet as an ES module in a process of its own.
   *
   * @throws Error when it fails or does not end in time; the message holds what it wrote to stderr
   */
  async run(snippet: Snippet, timeoutMs = TIMEOUT_MS): Promise<string[]> {
    const file = join(this.#folder, fileOf(snippet));
    const { failure, stdout } = await this.#node(
      ['--conditions=@rs/source', '--import', 'tsx', file],
      timeoutMs,
    );
    if (failure !== null) throw new Error(this.#named(failure));
    return stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n');
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #node(args: readonly string[], timeout: number): Promise<Ended> {
    return new Promise((resolve) => {
      const options = {
        cwd: dirname(this.#markdownFile),
        // Objects are printed as in a plain terminal, also where a task runner forces colours.
        env: { ...process.env, FORCE_COLOR: '0' },
        timeout,
        killSignal: 'SIGKILL',
      } as const;
      execFile(process.execPath, args, options, (error, stdout, stderr) => {
        if (error === null) resolve({ failure: null, stdout });
        else if (error.killed === true) resolve({ failure: stillRunning(timeout, stderr), stdout });
        else resolve({ failure: stderr === '' ? error.message : stderr, stdout });
      });
    });
  }

  /** Turns places in scratch files into places in the Markdown file. */
  #named(text: string): string {
    const name = basename(this.#markdownFile);
    return text
      .trimEnd()
      .replace(
        /[^\s()']*\.doc-snippets-\w+\/line-\d+\.ts(?:\((\d+),(\d+)\))?/g,
        (_, line?: string, column?: string) =>
          line === undefined ? name : `${name}:${line}:${String(column)}`,
      );
  }
}

function fileOf(snippet: Snippet): string {
  return `line-${snippet.line}.ts`;
}

function stillRunning(timeout: number, stderr: string): string {
  return `still running after ${timeout / 1000} s: close what the snippet opens, or mark it 'no-run'\n${stderr}`;
}

function workspaceOf(markdownFile: string): string {
  let folder = dirname(markdownFile);
  while (!existsSync(join(folder, 'tsconfig.base.json'))) {
    if (folder === dirname(folder))
      throw new Error(`${markdownFile} is not inside of a workspace: no tsconfig.base.json above it`);
    folder = dirname(folder);
  }
  return folder;
}
