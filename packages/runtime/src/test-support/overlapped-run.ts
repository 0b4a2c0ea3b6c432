import { isRsError } from '@rs/core';
import { BatchedDriver } from '../driver/batched/batched-driver.ts';
import type { BatchedOptions } from '../driver/batched/batched-options.ts';
import type { InputItem } from '../driver/batched/input-item.ts';
import type { LogicalGraph } from '../graph/graph.ts';
import { mergesTime } from '../graph/topology.ts';
import { CommitLogBackend } from '../testing/commit-log-backend.ts';
import type { HarnessItem, HarnessResult } from '../testing/job-harness.ts';
import { type CommitFate, hops, lateBackend } from './late-backend.ts';
import { TASK_OPTIONS, taskOf } from './one-task.ts';

/** What befalls the commits of a run, one after the other, again and again. */
export type Misfortune = 'none' | 'crash' | 'rejected' | 'lost before' | 'lost after';

export interface OverlappedRun extends Partial<BatchedOptions> {
  readonly batchSize: number;
  /** Turns of the queue of promises until a commit is applied, and again until it is answered: one after the other, in turns. */
  readonly delays: readonly number[];
  readonly misfortunes?: readonly Misfortune[];
}

/** Runs the only task of a job while its commits are on their way. */
export async function runOverlapped(
  graph: () => LogicalGraph,
  harnessItems: readonly HarnessItem[],
  { batchSize, delays, misfortunes = [], ...options }: OverlappedRun,
): Promise<HarnessResult & { readonly backend: CommitLogBackend }> {
  const backend = new CommitLogBackend();
  const place = taskOf(graph());
  const items = announced(harnessItems, mergesTime(place.stage));
  let commits = 0;
  let crashing = false;
  const fateOf = (): CommitFate => {
    const delay = delays[commits % delays.length] ?? 0;
    const misfortune = misfortunes[commits++ % misfortunes.length];
    const late = { arrives: () => hops(delay), answered: () => hops(delay) };
    crashing ||= misfortune === 'crash';
    if (misfortune === 'rejected') return { ...late, reply: 'SEQ' };
    if (misfortune === 'lost before') return { ...late, lost: 'before' };
    if (misfortune === 'lost after') return { ...late, lost: 'after' };
    return late;
  };
  const open = () =>
    BatchedDriver.open(taskOf(graph()), lateBackend(backend.acquire(), fateOf), {
      ...TASK_OPTIONS,
      overlap: true,
      ...options,
    });

  let driver: BatchedDriver | undefined;
  for (;;) {
    try {
      driver ??= await open();
      const { position } = driver;
      if (position === items.length) {
        await driver.flush();
        break;
      }
      await driver.process(items.slice(position, position + batchSize));
      if (!crashing) continue;
      driver.abandon();
    } catch (error) {
      if (!isLoss(error)) throw error;
    }
    crashing = false;
    driver = undefined;
  }
  driver.close();
  return { outputs: backend.outputs(), late: backend.late(), backend };
}

function isLoss(error: unknown): boolean {
  return (
    isRsError(error, 'RS_COMMIT_REJECTED') || (error instanceof Error && error.message === 'connection lost')
  );
}

/** Before all else, inputs that are merged say which of them have something to read. */
function announced(items: readonly HarnessItem[], merges: boolean): InputItem[] {
  const inputs = new Set(items.flatMap(({ type, input }) => (merges && type === 'record' ? [input] : [])));
  return [...Array.from(inputs, (input): InputItem => ({ type: 'status', idle: false, input })), ...items];
}
