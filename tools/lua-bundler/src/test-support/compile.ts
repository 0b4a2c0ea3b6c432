import ts from 'typescript';

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
};

/** What `@rs/redis` has of it. A tool does not import the product; the packages compile what they generate against it. */
const REDIS = `declare module '@rs/redis' {
  export type RedisArgument = string | Uint8Array | number;
  export interface Script {
    readonly name: string;
    readonly source: string;
    readonly sha1: string;
    readonly resendable: boolean;
  }
  export interface ScriptCall {
    readonly script: Script;
    readonly keys: readonly string[];
    readonly args: readonly RedisArgument[];
  }
}`;

/** What the compiler says of these files; nothing is read or written but the types of the language. */
export function compileErrors(files: Readonly<Record<string, string>>): string[] {
  const texts = new Map(
    [...Object.entries(files), ['redis.d.ts', REDIS]].map(([name = '', text]) => [`/${name}`, text]),
  );
  const host = ts.createCompilerHost(OPTIONS);
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.getCurrentDirectory = () => '/';
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.getSourceFile = (path, version) => ts.createSourceFile(path, host.readFile(path) ?? '', version);
  const program = ts.createProgram([...texts.keys()], OPTIONS, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
