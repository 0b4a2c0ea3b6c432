import type { Statement } from 'luaparse';
import type { CheckContext } from './check.ts';

/** An include only declares locals, and none that another file of the script has: its place must not matter. */
export function checkIncluded({ program: { tree }, report }: CheckContext): void {
  const script = tree.files.at(-1);
  const declaredIn = new Map<string, string>();
  for (const file of tree.files) {
    for (const statement of file.chunk.body) {
      const names = declaredNames(statement);
      if (names.length === 0 && file !== script) {
        report(tree.positionOf(statement), 'an include has local functions and local values, nothing else');
      }
      for (const name of names) {
        const other = declaredIn.get(name);
        if (other !== undefined && other !== file.path) {
          report(tree.positionOf(statement), `'${name}' is declared in ${other} too: rename one`);
        }
        declaredIn.set(name, file.path);
      }
    }
  }
}

function declaredNames(statement: Statement): string[] {
  if (statement.type === 'LocalStatement') return statement.variables.map(({ name }) => name);
  const isFunction = statement.type === 'FunctionDeclaration' && statement.isLocal;
  return isFunction && statement.identifier?.type === 'Identifier' ? [statement.identifier.name] : [];
}
