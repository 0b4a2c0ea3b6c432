import { compareIds } from '../consumer/position/entry-id.ts';

export interface ModelEntry {
  readonly id: string;
  /** Names and values in turn. */
  readonly fields: readonly Buffer[];
}

export interface ModelGroup {
  delivered: string;
  /** Id → name of the consumer that has it. */
  readonly pending: Map<string, string>;
  readonly consumers: Set<string>;
}

/** A stream as Redis keeps it, said as plainly as possible. */
export class ModelStream {
  entries: ModelEntry[] = [];
  last = '0-0';
  /** Ids of all entries that there ever were. */
  readonly added: string[] = [];
  readonly groups = new Map<string, ModelGroup>();

  /** XADD with the id of the time, or with one of the caller's choice. */
  add(fields: readonly Buffer[], now: number, id = this.#idFor(now)): string {
    if (compareIds(id, this.last) <= 0) throw new Error(`XADD: ${id} is not above ${this.last}`);
    this.entries.push({ id, fields });
    this.added.push(id);
    this.last = id;
    return id;
  }

  has(id: string): boolean {
    return this.entries.some((entry) => entry.id === id);
  }

  /** XDEL: how many there were. */
  remove(ids: readonly string[]): number {
    const before = this.entries.length;
    this.entries = this.entries.filter(({ id }) => !ids.includes(id));
    return before - this.entries.length;
  }

  /** XTRIM MAXLEN. */
  trim(length: number): void {
    this.entries = length === 0 ? [] : this.entries.slice(-length);
  }

  /** XRANGE with `after` exclusive. */
  range(after: string, end: string | undefined, count: number): ModelEntry[] {
    return this.entries
      .filter(({ id }) => compareIds(id, after) > 0 && (end === undefined || compareIds(id, end) <= 0))
      .slice(0, count);
  }

  createGroup(name: string, delivered: string): ModelGroup {
    const group = { delivered, pending: new Map<string, string>(), consumers: new Set<string>() };
    this.groups.set(name, group);
    return group;
  }

  /** XREADGROUP with `>`. */
  deliver(group: ModelGroup, consumer: string, count: number): ModelEntry[] {
    const entries = this.range(group.delivered, undefined, count);
    group.consumers.add(consumer);
    for (const { id } of entries) {
      group.pending.set(id, consumer);
      group.delivered = id;
    }
    return entries;
  }

  /** XAUTOCLAIM with an idle time of 0: what was found counts, whether it is there or not. */
  claimPage(
    group: ModelGroup,
    consumer: string,
    cursor: string,
    count: number,
  ): { next: string; ids: string[]; gone: string[] } {
    const all = pendingIds(group).filter((id) => compareIds(id, cursor) >= 0);
    const page = all.slice(0, count);
    const ids = page.filter((id) => this.has(id));
    const gone = page.filter((id) => !this.has(id));
    for (const id of ids) group.pending.set(id, consumer);
    for (const id of gone) group.pending.delete(id);
    group.consumers.add(consumer);
    return { next: all[count] ?? '0-0', ids, gone };
  }

  #idFor(now: number): string {
    const [ms = '0', seq = '0'] = this.last.split('-');
    return now > Number(ms) ? `${now}-0` : `${ms}-${Number(seq) + 1}`;
  }
}

export function pendingIds({ pending }: ModelGroup): string[] {
  return [...pending.keys()].sort(compareIds);
}
