import type { AssignmentStatement, Expression, FunctionDeclaration, Identifier, Node } from 'luaparse';
import type { Chunks, GlobalUse, Local, Names, Source } from './names.ts';
import { childrenOf } from './tree.ts';

type Target = AssignmentStatement['variables'][number];

/** Finds out which variable every name is, by the scopes of Lua. */
export function resolveNames(chunks: Chunks): Names {
  const resolver = new Resolver();
  for (const { body } of chunks) resolver.visitAll(body);
  return resolver;
}

class Resolver implements Names {
  readonly locals: Local[] = [];
  readonly globals: GlobalUse[] = [];
  readonly #uses = new Map<Identifier, Local>();
  readonly #scopes: Map<string, Local>[] = [new Map<string, Local>()];

  localOf(use: Identifier): Local | undefined {
    return this.#uses.get(use);
  }

  visitAll(nodes: readonly Node[]): void {
    for (const node of nodes) this.#visit(node);
  }

  #visit(node: Node): void {
    switch (node.type) {
      case 'Identifier':
        this.#read(node);
        break;
      case 'MemberExpression':
        this.#visit(node.base);
        break;
      case 'TableKeyString':
        this.#visit(node.value);
        break;
      case 'LocalStatement':
        this.visitAll(node.init);
        for (const [at, variable] of node.variables.entries())
          this.#declare(variable, sourceAt(node.init, at));
        break;
      case 'AssignmentStatement':
        this.visitAll(node.init);
        for (const [at, target] of node.variables.entries()) this.#assign(target, sourceAt(node.init, at));
        break;
      case 'FunctionDeclaration':
        this.#visitFunction(node);
        break;
      case 'ForNumericStatement':
        this.#visit(node.start);
        this.#visit(node.end);
        if (node.step !== null) this.#visit(node.step);
        this.#inScope(() => {
          this.#declare(node.variable, { kind: 'counter', start: node.start });
          this.visitAll(node.body);
        });
        break;
      case 'ForGenericStatement':
        this.visitAll(node.iterators);
        this.#inScope(() => {
          const [iterator] = node.iterators;
          for (const [at, variable] of node.variables.entries()) {
            const element = at === 1 && iterator !== undefined && node.iterators.length === 1;
            this.#declare(variable, element ? { kind: 'element', iterator } : { kind: 'unknown' });
          }
          this.visitAll(node.body);
        });
        break;
      case 'RepeatStatement':
        // The condition sees the locals of the body.
        this.#inScope(() => this.visitAll([...node.body, node.condition]));
        break;
      case 'WhileStatement':
      case 'IfClause':
      case 'ElseifClause':
        this.#visit(node.condition);
        this.#inScope(() => this.visitAll(node.body));
        break;
      case 'DoStatement':
      case 'ElseClause':
        this.#inScope(() => this.visitAll(node.body));
        break;
      default:
        this.visitAll(childrenOf(node));
    }
  }

  #visitFunction(node: FunctionDeclaration): void {
    const { identifier } = node;
    const source: Source = { kind: 'value', node };
    // A local function sees itself.
    if (identifier?.type === 'Identifier' && node.isLocal) this.#declare(identifier, source);
    else if (identifier !== null) this.#assign(identifier, source);
    this.#inScope(() => {
      const method = identifier?.type === 'MemberExpression' && identifier.indexer === ':';
      if (method) this.#add({ name: 'self', declaration: node, sources: [{ kind: 'unknown' }], reads: [] });
      for (const [index, parameter] of node.parameters.entries()) {
        if (parameter.type === 'Identifier') this.#declare(parameter, { kind: 'parameter', of: node, index });
      }
      this.visitAll(node.body);
    });
  }

  #read(node: Identifier): void {
    const local = this.#find(node);
    if (local === undefined) this.globals.push({ node, written: false });
    else local.reads.push(node);
  }

  #assign(target: Target, source: Source): void {
    if (target.type === 'Identifier') {
      const local = this.#find(target);
      if (local === undefined) this.globals.push({ node: target, written: true });
      else local.sources.push(source);
      return;
    }
    const owner = ownerOf(target);
    if (owner?.type === 'Identifier' && this.#find(owner) === undefined) {
      this.globals.push({ node: owner, written: true });
    }
    this.#visit(target);
  }

  #declare(declaration: Identifier, source: Source): void {
    this.#add({ name: declaration.name, declaration, sources: [source], reads: [] });
  }

  #add(local: Local): void {
    this.locals.push(local);
    this.#scopes.at(-1)?.set(local.name, local);
  }

  #find(node: Identifier): Local | undefined {
    const local = this.#scopes.findLast((scope) => scope.has(node.name))?.get(node.name);
    if (local !== undefined) this.#uses.set(node, local);
    return local;
  }

  #inScope(visit: () => void): void {
    this.#scopes.push(new Map());
    visit();
    this.#scopes.pop();
  }
}

/** What the variable at `at` of a declaration or an assignment gets. */
function sourceAt(values: readonly Expression[], at: number): Source {
  const node = values[at];
  if (node !== undefined) return { kind: 'value', node };
  const last = values.at(-1);
  return last !== undefined && expands(last) ? { kind: 'unknown' } : { kind: 'nothing' };
}

/** At the end of a list such an expression may be any number of values. */
export function expands({ type }: Expression): boolean {
  return (
    type === 'CallExpression' ||
    type === 'StringCallExpression' ||
    type === 'TableCallExpression' ||
    type === 'VarargLiteral'
  );
}

/** `a` of `a.b[c].d`. */
function ownerOf(target: Expression): Expression | undefined {
  let owner = target;
  while (owner.type === 'MemberExpression' || owner.type === 'IndexExpression') owner = owner.base;
  return owner;
}
