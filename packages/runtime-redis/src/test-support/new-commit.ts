import type { CellAddress } from '@rs/runtime';
import type { TaskCommit } from '../store/task-commit.ts';

/** A commit that changes nothing but what is given. */
export function newCommit(seq: number, parts: Partial<TaskCommit> = {}): TaskCommit {
  return {
    seq,
    offset: `${seq}-0`,
    count: seq,
    ended: false,
    operators: {},
    cells: [],
    timers: [],
    late: {},
    cursors: {},
    started: '',
    recovered: false,
    ops: [],
    ...parts,
  };
}

/** The address of a value, unless told otherwise. */
export function address(parts: Partial<CellAddress> = {}): CellAddress {
  return {
    operator: 'op',
    state: 'value',
    layout: 'value',
    onDemand: false,
    key: 's:a',
    namespace: '',
    ...parts,
  };
}
