import type {
  CellAddress,
  CommitBatch,
  CommitReply,
  KeyAddress,
  OutputRecord,
  StateBackend,
  StoredCell,
  StoredPage,
  TaskSnapshot,
  TimerPage,
  TimerQueueAddress,
} from '@rs/runtime';
import type { TaskSink } from '../sink/task-sink.ts';
import type { CommitOp } from '../store/commit-op.ts';
import type { StoredTask, TaskCommit } from '../store/task-commit.ts';
import type { InputQueue } from './input-queue.ts';

/** What a backend needs of the store: everything but leases. */
export interface TaskStorage<Prepared> {
  read(addresses: readonly CellAddress[]): Promise<readonly (StoredCell | undefined)[]>;
  scan(address: KeyAddress, after: string | undefined, limit: number): Promise<StoredPage>;
  timers(queues: readonly TimerQueueAddress[], limit: number): Promise<readonly TimerPage[]>;
  /** @throws RsError `RS_RECORD_TOO_LARGE` */
  prepare(commit: TaskCommit, records: number): Prepared;
  commit(prepared: Prepared): Promise<CommitReply>;
}

export interface TaskBackendOptions<Prepared> {
  readonly storage: TaskStorage<Prepared>;
  readonly stored: StoredTask;
  readonly queue: InputQueue;
  readonly sinks: ReadonlyMap<string, TaskSink>;
  /** Makes a call until it has an answer. */
  readonly insist: <T>(call: () => Promise<T>) => Promise<T>;
  /** What was delivered of earlier results, and what follows of that for the out logs. */
  readonly delivered: { ops(seq: number): readonly CommitOp[]; cursors(): Readonly<Record<string, string>> };
  /** Looks at a commit before it is made; what it throws fails the records in it. */
  readonly admit: (commit: TaskCommit) => void;
  /** Looks at a commit that is on its way: what it asks Redis for comes after it. */
  readonly onHandedOver: (commit: TaskCommit) => void;
  /** A commit was applied. */
  readonly onCommitted: (commit: CommittedFacts, lateRecords: CommitBatch['lateRecords']) => void;
}

/** What is told of a commit once it was applied. Not what it changed: it would have to stay in memory until then. */
export type CommittedFacts = Omit<TaskCommit, 'cells' | 'timers'>;

/** What the next commit says besides what the batch brought. */
interface Additions {
  readonly ops: readonly CommitOp[];
  readonly started: string;
  readonly recovered: boolean;
}

interface Admitted<Prepared> {
  readonly batch: CommitBatch;
  readonly commit: TaskCommit;
  readonly prepared: Prepared;
}

const NOTHING: Additions = { ops: [], started: '', recovered: false };

/**
 * A task's state on Redis as the kernel sees it. Turns what a batch has changed into what one script call changes, together with what
 * the kernel does not know: entries of the log, sinks, dead letters, marks.
 */
export class TaskBackend<Prepared> implements StateBackend {
  readonly #options: TaskBackendOptions<Prepared>;
  #late: Readonly<Record<string, number>>;
  #additions = NOTHING;
  #admitted: Admitted<Prepared> | undefined;

  constructor(options: TaskBackendOptions<Prepared>) {
    this.#options = options;
    this.#late = options.stored.late;
  }

  /** Goes with the next commit, and with none after it. */
  add(additions: Partial<Additions>): void {
    this.#additions = { ...this.#additions, ...additions };
  }

  /** There is no next commit that a write or a mark could go with. What is known of crashes goes with any. */
  takeBack(): void {
    this.#additions = { ...NOTHING, recovered: this.#additions.recovered };
  }

  open(): Promise<TaskSnapshot | undefined> {
    const { seq, count, operators } = this.#options.stored;
    return Promise.resolve(seq === 0 ? undefined : { seq, offset: count, operators });
  }

  read(addresses: readonly CellAddress[]): Promise<readonly (StoredCell | undefined)[]> {
    return this.#options.storage.read(addresses);
  }

  scan(address: KeyAddress, after: string | undefined, limit: number): Promise<StoredPage> {
    return this.#options.storage.scan(address, after, limit);
  }

  timers(queues: readonly TimerQueueAddress[], limit: number): Promise<readonly TimerPage[]> {
    return this.#options.storage.timers(queues, limit);
  }

  admit(batch: CommitBatch): void {
    const { storage, queue, admit } = this.#options;
    const commit = this.#commitOf(batch);
    admit(commit);
    // What fires without a record of its own is bounded by the number of fires, and cannot be halved.
    const records = Math.max(1, batch.offset - queue.base);
    this.#admitted = { batch, commit, prepared: storage.prepare(commit, records) };
  }

  /** Invariant: the payload is made once, so a call that is made again is the same call. */
  async commit(batch: CommitBatch): Promise<CommitReply> {
    if (this.#admitted?.batch !== batch) this.admit(batch);
    const { queue, onHandedOver } = this.#options;
    const { commit, prepared } = this.#admitted as Admitted<Prepared>;
    this.#admitted = undefined;
    this.#additions = NOTHING;
    // From here on the driver goes on as if it was applied; if it is not, the driver has ended.
    this.#late = commit.late;
    queue.settled(commit.count);
    const reply = this.#send(prepared, factsOf(commit), batch.lateRecords);
    onHandedOver(commit);
    return reply;
  }

  async #send(
    prepared: Prepared,
    facts: CommittedFacts,
    lateRecords: CommitBatch['lateRecords'],
  ): Promise<CommitReply> {
    const { storage, insist, onCommitted } = this.#options;
    const reply = await insist(() => storage.commit(prepared));
    if (reply === 'OK' || reply === 'DUP') onCommitted(facts, lateRecords);
    return reply;
  }

  #commitOf(batch: CommitBatch): TaskCommit {
    const { queue, delivered } = this.#options;
    const { ops, started, recovered } = this.#additions;
    const late = new Map(Object.entries(this.#late));
    for (const [operator, count] of Object.entries(batch.late))
      late.set(operator, (late.get(operator) ?? 0) + count);
    return {
      seq: batch.seq,
      ...queue.positionAt(batch.offset),
      count: batch.offset,
      operators: batch.operators,
      cells: batch.cells,
      timers: batch.timers,
      late: Object.fromEntries(late),
      cursors: delivered.cursors(),
      started,
      recovered,
      ops: [...delivered.ops(batch.seq), ...this.#outputOps(batch), ...ops],
    };
  }

  #outputOps({ outputs, seq }: CommitBatch): CommitOp[] {
    if (outputs.length === 0) return [];
    const bySink = new Map<string, OutputRecord[]>();
    for (const output of outputs) {
      const own = bySink.get(output.sink);
      if (own === undefined) bySink.set(output.sink, [output]);
      else own.push(output);
    }
    return [...bySink].flatMap(([id, own]) => this.#options.sinks.get(id)?.ops(own, seq) ?? []);
  }
}

function factsOf({ cells: _cells, timers: _timers, ...facts }: TaskCommit): CommittedFacts {
  return facts;
}
