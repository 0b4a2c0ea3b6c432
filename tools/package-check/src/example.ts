import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Snippet, extractSnippets } from '@rs/doc-snippets/extract';
import ts from 'typescript';

/** The first example of a README that runs, in the forms in which users may have it. */
export interface Example {
  /** As it stands there. */
  readonly typescript: string;
  readonly esm: string;
  readonly commonjs: string;
  /** The lines it promises to print; `null` when it promises nothing. */
  readonly output: readonly string[] | null;
}

/** @returns `undefined` for a README without any */
export function firstExample(folder: string): Example | undefined {
  const snippets = extractSnippets(readFileSync(join(folder, 'README.md'), 'utf8'));
  const first = snippets.find(({ run }) => run);
  return first === undefined ? undefined : exampleOf(first);
}

export function exampleOf({ code, output }: Pick<Snippet, 'code' | 'output'>): Example {
  const typescript = code.trimStart();
  return {
    typescript,
    esm: emitted(typescript, ts.ModuleKind.ESNext),
    commonjs: emitted(withoutTopLevelAwait(typescript), ts.ModuleKind.CommonJS),
    output,
  };
}

/** CommonJS has no top-level `await`: what comes after the imports goes into a function, as users write it there. */
function withoutTopLevelAwait(code: string): string {
  const { statements } = ts.createSourceFile('example.ts', code, ts.ScriptTarget.ES2022);
  const end = statements.filter(ts.isImportDeclaration).at(-1)?.end ?? 0;
  const body = code.slice(end);
  if (!/\bawait\b/.test(body)) return code;
  return `${code.slice(0, end)}\n\nasync function main() {${body}\n}\n\nmain();\n`;
}

function emitted(code: string, module: ts.ModuleKind): string {
  const compilerOptions = { module, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: false };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
