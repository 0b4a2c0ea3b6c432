import type { CheckpointAwareSink } from '@rs/core';
import type { ChainedJob } from '../driver/chained.ts';
import { labelOf } from '../graph/node.ts';
import type { Task } from '../operator/task.ts';
import { TransactionalSinkOperator } from '../operator/transactional-sink.ts';
import type { SinkSnapshot } from './job-snapshot.ts';
import { SinkCalls } from './sink-calls.ts';
import { type Steps, tryAll } from './steps.ts';
import type { Transactions } from './transactions.ts';

type Hooks = Partial<Omit<CheckpointAwareSink<never>, 'invoke'>>;

interface JobSink {
  readonly id: string;
  readonly hooks: Hooks;
  readonly calls: SinkCalls;
  readonly transactions: Transactions<unknown> | undefined;
}

/** What the sinks of a job have to do with checkpoints. They are called one after the other, in their order in the job. */
export class JobSinks {
  readonly #sinks: readonly JobSink[];
  readonly #task: Task;

  constructor({ topology: { graph }, sinks }: ChainedJob, task: Task) {
    this.#task = task;
    this.#sinks = graph.sinks.map((node) => {
      const operator = sinks.get(node);
      return {
        id: graph.operatorId(node),
        hooks: node.sink,
        calls: new SinkCalls(task, labelOf(node)),
        transactions: operator instanceof TransactionalSinkOperator ? operator.transactions : undefined,
      };
    });
  }

  /** A checkpoint is about to be taken: open transactions are prepared. Throws what aborts it. */
  *prepare(checkpointId: number): Steps {
    for (const { calls, hooks } of this.#sinks) {
      yield* calls.call('onCheckpointStart', () => hooks.onCheckpointStart?.(checkpointId));
      this.#task.assertRunning();
    }
    yield* this.prepareTransactions();
  }

  *prepareTransactions(): Steps {
    for (const { transactions } of this.#sinks) {
      if (transactions === undefined) continue;
      yield* transactions.prepare();
      this.#task.assertRunning();
    }
  }

  /** The prepared transactions. @throws RsError `RS_INVALID_VALUE` for a handle that is no plain data */
  snapshot(): SinkSnapshot[] {
    const all = this.#sinks.map(({ id, transactions }) => ({
      id,
      transactions: transactions?.handles() ?? [],
    }));
    return all.filter(({ transactions }) => transactions.length > 0);
  }

  /** A checkpoint that holds the prepared transactions is stored, or may be. */
  hold(): void {
    for (const { transactions } of this.#sinks) transactions?.hold();
  }

  /** Commits the prepared transactions. Throws the first error. */
  *commit(): Steps {
    yield* tryAll(this.#sinks, function* ({ transactions }) {
      if (transactions !== undefined) yield* transactions.commit();
    });
  }

  /** Throws the first error. */
  *completed(checkpointId: number): Steps {
    yield* tryAll(this.#sinks, ({ calls, hooks }) =>
      calls.call('onCheckpointComplete', () => hooks.onCheckpointComplete?.(checkpointId)),
    );
  }

  /** Throws the first error. */
  *aborted(checkpointId: number, cause: unknown): Steps {
    yield* tryAll(this.#sinks, ({ calls, hooks }) =>
      calls.call('onCheckpointAbort', () => hooks.onCheckpointAbort?.(checkpointId, cause)),
    );
  }

  /** The run begins from a checkpoint: what it holds is committed. */
  *restore(checkpointId: number, snapshots: readonly SinkSnapshot[]): Steps {
    for (const { id, transactions } of this.#sinks) {
      const handles = snapshots.find((snapshot) => snapshot.id === id)?.transactions ?? [];
      if (transactions !== undefined) yield* transactions.recover(handles);
    }
    for (const { calls, hooks } of this.#sinks)
      yield* calls.call('onCheckpointRestore', () => hooks.onCheckpointRestore?.(checkpointId));
  }

  /** Whose transactions a checkpoint holds although no sink of the job could commit them. */
  unclaimed(snapshots: readonly SinkSnapshot[]): readonly string[] {
    const transactional = this.#sinks.filter(({ transactions }) => transactions !== undefined);
    const known = new Set(transactional.map(({ id }) => id));
    return snapshots.map(({ id }) => id).filter((id) => !known.has(id));
  }

  /** The run has failed or was cancelled: transactions that no checkpoint holds are given up. Throws the first error. */
  *abort(): Steps {
    yield* tryAll(this.#sinks, function* ({ transactions }) {
      if (transactions !== undefined) yield* transactions.abort();
    });
  }
}
