import { isRsError, type OutputTag, RsError, type StateDescriptor } from '@rs/core';
import { emptyState, readState, type StoredStateOf, transferred } from '@rs/runtime/testing';
import { checkSideOutput, operatorId, sinkId, statesOf } from './job-parts.ts';
import type { RunningJob } from './running-job.ts';

/** What reached a sink or a side output. */
export interface TestOutput<T> {
  readonly value: T;
  /** Its event time in epoch milliseconds. */
  readonly timestamp: number;
}

/** A timer that has not fired yet. Windows wait for theirs as well. */
export interface TestTimer {
  /** Of the operator; where it has none, the id that comes from its place in the job. */
  readonly uid: string;
  /** Which time it waits for. */
  readonly kind: 'event' | 'processing';
  readonly key: unknown;
  /** Epoch milliseconds. */
  readonly time: number;
}

/** What a test looks at: whatever was committed. What is returned is a copy, made anew for each call. */
export abstract class TestResults {
  readonly #run: RunningJob;

  protected constructor(run: RunningJob) {
    this.#run = run;
  }

  /**
   * The values that have reached a sink and were committed, in their order: those of one partition as they came, those of
   * several as the driver has processed them. Not what the sink has got, as it is not called.
   *
   * @param sink its uid or name; default: the only sink of the job
   * @throws RsError `RS_INVALID_ARGUMENT` when there is no such sink, or more than one
   */
  outputs<T = unknown>(sink?: string): T[] {
    return this.#recordsOf<T>(sink, 'outputs').map(({ value }) => value);
  }

  /** As {@link outputs}, with timestamps. @throws RsError as {@link outputs} */
  outputRecords<T = unknown>(sink?: string): TestOutput<T>[] {
    return this.#recordsOf<T>(sink, 'outputRecords');
  }

  /**
   * The values that an operator has sent to a side output, also when nobody reads it.
   *
   * @param uid of the operator
   * @throws RsError `RS_INVALID_ARGUMENT` when there is no such operator, or it has no such side output
   */
  sideOutput<T>(uid: string, tag: OutputTag<T>): T[] {
    this.#run.assertOpen('sideOutput');
    checkSideOutput(this.#run.graph, uid, tag);
    return this.#run.outputs
      .filter(({ sink, sideOutput }) => sink === uid && sideOutput === tag.name)
      .map(({ value }) => copied(value) as T);
  }

  /**
   * What is committed of a state for a key: the value or result, or `undefined` where there is none (a default is not
   * stored); a `Map`, an array or a `Set`, which may be empty. Found on whatever partition has it. What has expired is gone.
   *
   * @param uid of the `keyBy` or `connect` on whose stream the state was declared, or of the function that declared it in `open`
   * @throws RsError `RS_INVALID_ARGUMENT` when there is no such operator, or the state is of another kind,
   *   `RS_STATE_UNDECLARED`, `RS_INVALID_KEY`
   */
  async state<D extends StateDescriptor>(
    uid: string,
    descriptor: D,
    key: unknown,
  ): Promise<StoredStateOf<D>> {
    return this.#run.inTurn('state', async () => {
      const { graph, job, expiryClock } = this.#run;
      for (const { task, operator, now } of statesOf(graph, await job.states(), uid, descriptor)) {
        const kept = { operator, now: expiryClock ?? now };
        const found = await readState(task.backend, kept, descriptor, key).catch((error: unknown) => {
          throw isRsError(error, 'RS_INVALID_KEY') ? badKey(error, key) : error;
        });
        if (found !== undefined) return found;
      }
      return emptyState(descriptor);
    });
  }

  /**
   * The committed timers that have not fired yet, those of windows included, in the order of their times.
   *
   * @param uid only those of this operator
   * @throws RsError `RS_INVALID_ARGUMENT` when there is no such operator
   */
  timers(uid?: string): TestTimer[] {
    this.#run.assertOpen('timers');
    const only = uid === undefined ? undefined : operatorId(this.#run.graph, uid, 'timers');
    return this.#run.job
      .timers()
      .filter(({ operator }) => only === undefined || operator === only)
      .map(({ operator, ...timer }) => ({ uid: operator, ...timer }));
  }

  /** How many records were late, by the uid of the operator. Those without any are left out. */
  lateRecords(): Record<string, number> {
    this.#run.assertOpen('lateRecords');
    return this.#run.job.lateRecords();
  }

  #recordsOf<T>(sink: string | undefined, method: string): TestOutput<T>[] {
    this.#run.assertOpen(method);
    const id = sinkId(this.#run.graph, sink, method);
    return this.#run.outputs
      .filter((output) => output.sink === id && output.sideOutput === undefined)
      .map(({ value, timestamp }) => ({ value: copied(value) as T, timestamp }));
  }
}

/** What a test changes in a result must not show in the next one. */
function copied(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? transferred(value, 'an output') : value;
}

function badKey(error: RsError, key: unknown): RsError {
  return new RsError('RS_INVALID_KEY', `state: ${error.message}`, {
    cause: error,
    details: { ...error.details, operation: 'state', received: key },
  });
}
