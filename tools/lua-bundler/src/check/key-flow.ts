import type { Expression, FunctionDeclaration, Node } from 'luaparse';
import type { Local, Source } from '../program/names.ts';
import { callOf, isGlobal, type Program } from '../program/program.ts';
import { expands } from '../program/resolve.ts';

/**
 * Follows an expression back to where its value comes from.
 *
 * @returns the places where it is something else than a declared key; none when it always is one
 */
export function undeclaredSources(program: Program, expression: Expression): Node[] {
  return new KeyFlow(program).ofExpression(expression);
}

class KeyFlow {
  readonly #program: Program;
  // A variable that depends on itself, as the parameter of a recursive function does, gets keys if all else it gets are.
  readonly #visited = new Set<Local>();

  constructor(program: Program) {
    this.#program = program;
  }

  ofExpression(node: Expression): Node[] {
    switch (node.type) {
      case 'IndexExpression':
        return isGlobal(this.#program, node.base, 'KEYS') ? [] : [node];
      case 'CallExpression': {
        const unpacksKeys =
          isGlobal(this.#program, node.base, 'unpack') && isGlobal(this.#program, node.arguments[0], 'KEYS');
        return unpacksKeys ? [] : [node];
      }
      case 'LogicalExpression':
        // What `and` lets through of its left side is nil or false: no key, but none that is undeclared.
        return [
          ...(node.operator === 'or' ? this.ofExpression(node.left) : []),
          ...this.ofExpression(node.right),
        ];
      case 'Identifier': {
        const local = this.#program.names.localOf(node);
        return local === undefined ? [node] : this.#ofLocal(local);
      }
      default:
        return [node];
    }
  }

  #ofLocal(local: Local): Node[] {
    if (this.#visited.has(local)) return [];
    this.#visited.add(local);
    if (local.sources.every(({ kind }) => kind === 'nothing')) return [local.declaration];
    return local.sources.flatMap((source) => this.#ofSource(source, local));
  }

  #ofSource(source: Source, local: Local): Node[] {
    switch (source.kind) {
      case 'nothing':
        return [];
      case 'value':
        return this.ofExpression(source.node);
      case 'element':
        return this.#iteratesKeys(source.iterator) ? [] : [local.declaration];
      case 'parameter':
        return this.#ofParameter(source.of, source.index, local);
      case 'counter':
      case 'unknown':
        return [local.declaration];
    }
  }

  #iteratesKeys(iterator: Expression): boolean {
    if (iterator.type !== 'CallExpression' || !isGlobal(this.#program, iterator.arguments[0], 'KEYS'))
      return false;
    return (
      isGlobal(this.#program, iterator.base, 'ipairs') || isGlobal(this.#program, iterator.base, 'pairs')
    );
  }

  /** A parameter is a key when every call of its function gives it one, and the function is only ever called. */
  #ofParameter(declaration: FunctionDeclaration, index: number, parameter: Local): Node[] {
    const holder = this.#program.names.locals.find(({ sources }) =>
      sources.some((source) => source.kind === 'value' && source.node === declaration),
    );
    if (
      holder === undefined ||
      holder.sources.some((source) => source.kind !== 'nothing' && !holds(source, declaration))
    )
      return [parameter.declaration];
    return holder.reads.flatMap((read) => {
      const call = callOf(this.#program, read);
      if (call === undefined) return [read];
      const argument = call.arguments[index];
      if (argument !== undefined) return this.ofExpression(argument);
      const last = call.arguments.at(-1);
      return [last !== undefined && expands(last) ? last : call];
    });
  }
}

function holds(source: Source, declaration: FunctionDeclaration): boolean {
  return source.kind === 'value' && source.node === declaration;
}
