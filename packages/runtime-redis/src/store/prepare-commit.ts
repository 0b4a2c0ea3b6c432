import { RsError } from '@rs/core';
import type { ScriptCall } from '@rs/redis';
import type { TaskKeys } from '../keys/task-keys.ts';
import { commitTask } from '../lua/scripts.generated.ts';
import { ChangeList } from './change-list.ts';
import { BATCH_LIMITS, type CommitLimits, exceeds, RECORD_LIMITS } from './commit-limits.ts';
import type { TaskCommit } from './task-commit.ts';
import { encodeFacts } from './task-facts.ts';
import { writeCells } from './write-cells.ts';
import { writeOps } from './write-ops.ts';
import { writeTimers } from './write-timers.ts';

/** A commit as it is sent. Sent again, it is the same to the last byte. */
export interface PreparedCommit extends CommitLimits {
  readonly seq: number;
  readonly call: ScriptCall;
}

export interface PrepareOptions {
  readonly token: string;
  /** How many records the commit settles; 1 also for one that only fires timers. Default 1. */
  readonly records?: number;
}

/**
 * Puts a commit together. Pure: nothing is sent.
 *
 * @throws RsError `RS_RECORD_TOO_LARGE` when the commit of several records is beyond `BATCH_LIMITS`, that of one, or of a timer,
 *   beyond `RECORD_LIMITS`; `RS_INVALID_ARGUMENT` for a write that Redis would refuse
 */
export function prepareCommit(keys: TaskKeys, commit: TaskCommit, options: PrepareOptions): PreparedCommit {
  const { token, records = 1 } = options;
  const list = new ChangeList();
  writeCells(list, keys, commit.cells);
  writeTimers(list, keys, commit.timers);
  writeOps(list, commit.ops);
  const { operations, bytes } = list;
  checkSize({ operations, bytes }, records);
  const facts = encodeFacts(commit);
  const { seq, offset, started, recovered } = commit;
  const call = commitTask({
    keys: { own: keys.own, meta: keys.meta, holds: keys.holds, changed: list.keys },
    args: {
      token,
      seq,
      hold: keys.hold,
      offset,
      started,
      recovered: recovered ? 1 : 0,
      changes: [facts.length, ...facts, ...list.args],
    },
  });
  return { seq, operations, bytes, call };
}

function checkSize(size: CommitLimits, records: number): void {
  const limits = records > 1 ? BATCH_LIMITS : RECORD_LIMITS;
  if (!exceeds(size, limits)) return;
  const what = records > 1 ? `${records} records lead` : 'one record, or one timer, leads';
  throw new RsError(
    'RS_RECORD_TOO_LARGE',
    `${what} to a commit of ${size.operations} changes and ${size.bytes} bytes, and ${limits.operations} changes and ` +
      `${limits.bytes} bytes are the most; let it change fewer keys, or keep large values elsewhere`,
    { details: { ...size, records, limits: { ...limits } } },
  );
}
