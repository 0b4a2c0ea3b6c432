import type { Chunk, Node } from 'luaparse';
import { startOf, type LuaFile } from '../lua-file.ts';
import type { Position } from '../problem.ts';

/** The syntax trees of several files as one: what stands above a node, and where it is. */
export class Tree {
  readonly files: readonly LuaFile[];
  readonly #parents = new Map<Node, Node>();
  readonly #files = new Map<Chunk, LuaFile>();

  constructor(files: readonly LuaFile[]) {
    this.files = files;
    for (const file of files) {
      this.#files.set(file.chunk, file);
      this.#link(file.chunk);
    }
  }

  /** `undefined` for a chunk. */
  parentOf(node: Node): Node | undefined {
    return this.#parents.get(node);
  }

  positionOf(node: Node): Position {
    return startOf(this.fileOf(node), node);
  }

  fileOf(node: Node): LuaFile {
    let top = node;
    for (let above: Node | undefined = node; above !== undefined; above = this.#parents.get(above))
      top = above;
    const file = top.type === 'Chunk' ? this.#files.get(top) : undefined;
    if (file === undefined) throw new TypeError(`a ${node.type} of none of the files`);
    return file;
  }

  /** The code of a node, on one line. */
  textOf(node: Node): string {
    const { text } = this.fileOf(node);
    const lines = text.split('\n');
    const { start, end } = node.loc ?? { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } };
    const [first = ''] = lines.slice(start.line - 1);
    return start.line === end.line ? first.slice(start.column, end.column) : `${first.slice(start.column)} …`;
  }

  #link(node: Node): void {
    for (const child of childrenOf(node)) {
      this.#parents.set(child, node);
      this.#link(child);
    }
  }
}

/** What a node is made of, in the order of the text. */
export function childrenOf(node: Node): Node[] {
  const { comments: _, ...parts } = node as Node & { readonly comments?: unknown };
  return Object.values<unknown>(parts).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
