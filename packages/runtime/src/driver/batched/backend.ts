import type { OperatorMeta } from '../../operator/operator.ts';
import type { StreamItem } from '../../operator/stream-item.ts';
import type { LateRecord } from '../../operator/task.ts';
import type { CellAddress, CellChange, KeyAddress, StoredCell, StoredPage } from '../../state/stored.ts';
import type { StoredTimer } from '../../time/stored-timer.ts';
import type { TimerChange } from '../../time/timer-log.ts';

/**
 * Where a task's state is kept: the tuple (offset, keyed state, timers, watermarks, output) of one partition.
 *
 * Invariant: the tuple changes only by {@link commit}, as a whole or not at all.
 */
export interface StateBackend {
  /** The committed facts of the task; `undefined` when it never committed. */
  open(): Promise<TaskSnapshot | undefined>;
  /** The committed cells at these addresses, in their order; `undefined` for what is not stored. */
  read(addresses: readonly CellAddress[]): Promise<readonly (StoredCell | undefined)[]>;
  /**
   * The committed cells of a key in the order of their namespaces (of the bytes of their text): those after `after`, or
   * from the first one. A page has at most `limit` cells; it may have fewer where there are more to come, even none.
   */
  scan(address: KeyAddress, after: string | undefined, limit: number): Promise<StoredPage>;
  /**
   * Of each of these queues the committed timers that come first, in the order (time, key, namespace), about `limit` of them:
   * at least one where there are any. Only asked for while no commit is on its way.
   */
  timers(queues: readonly TimerQueueAddress[], limit: number): Promise<readonly TimerPage[]>;
  /**
   * Told of each batch before it counts as processed, so that one that cannot be stored is the failure of its items. What
   * it throws is thrown for them: with the code `RS_RECORD_TOO_LARGE` once they were tried in smaller batches.
   */
  admit?(batch: CommitBatch): void;
  /**
   * Applies a batch. It is read before the call returns its promise: what values refer to may change as soon as it has. Resolves with a definite answer; while there is none (a lost reply), the backend sends the same batch
   * again, which is safe because every change is absolute and `seq` tells what was applied already.
   */
  commit(batch: CommitBatch): Promise<CommitReply>;
}

/**
 * `OK`: applied now. `DUP`: applied before. `FENCED`: another owner has the task. `SEQ`: another batch is expected. After the
 * last two the caller's picture of the state is wrong; it must be thrown away and the task opened anew.
 */
export type CommitReply = 'OK' | 'DUP' | 'FENCED' | 'SEQ';

export interface TaskSnapshot {
  /** Number of the last commit. */
  readonly seq: number;
  /** Input records that the commits up to `seq` have settled. */
  readonly offset: number;
  readonly operators: Readonly<Record<string, OperatorMeta>>;
}

/** The timers of one kind of an operator. */
export interface TimerQueueAddress {
  /** Id of the operator. */
  readonly operator: string;
  readonly kind: 'event' | 'processing';
}

/** The first timers of a queue. */
export interface TimerPage {
  /** In the order (time, key, namespace), texts by their bytes. */
  readonly timers: readonly StoredTimer[];
  /** True when there are others behind them. */
  readonly more: boolean;
}

export interface OutputRecord {
  /** Operator id of the sink; of the operator, for what went to one of its side outputs. */
  readonly sink: string;
  /** Name of the side output, where nobody but the driver asked for it. */
  readonly sideOutput?: string;
  readonly value: unknown;
  readonly timestamp: number;
}

/** An item that the task sends to a partition of a later stage. */
export interface SentItem {
  /** Number of the exchange among those that leave the stage. */
  readonly edge: number;
  /** Number of the receiving partition. */
  readonly to: number;
  readonly item: StreamItem;
}

export interface OperatorTimerChange extends TimerChange {
  readonly operator: string;
  readonly kind: 'event' | 'processing';
}

/** Everything that one batch changes. */
export interface CommitBatch {
  /** One more than that of the last commit. */
  readonly seq: number;
  readonly offset: number;
  readonly cells: readonly CellChange[];
  readonly timers: readonly OperatorTimerChange[];
  readonly outputs: readonly OutputRecord[];
  /** For later stages. They take effect with the commit, or not at all. */
  readonly sent: readonly SentItem[];
  /** Facts of the operators: watermarks, clocks. Numbers may be infinite. */
  readonly operators: Readonly<Record<string, OperatorMeta>>;
  /** Late records of this batch, by operator. */
  readonly late: Readonly<Record<string, number>>;
  /** These records, in their order, where `keepLate` has asked for them and there are any. */
  readonly lateRecords?: readonly LateRecord[];
}
