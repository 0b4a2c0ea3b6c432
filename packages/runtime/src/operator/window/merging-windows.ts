import { RsError, type Window } from '@rs/core';
import type { Namespace } from '../../state/cell.ts';
import type { ItemFormat } from '../../state/format.ts';
import type { Gate } from '../gate.ts';
import type { ComingRecord, Want } from '../keyed-group.ts';
import type { Outputs } from '../outputs.ts';
import { type Bucket, type BucketCell, newBucket } from './bucket.ts';
import { checkBoundedWindow, checkWindowList } from './check-window.ts';
import type { WindowContents } from './contents.ts';
import { type Session, SessionIndex, type SessionPlace } from './sessions.ts';
import { assertSync } from '../sync-only.ts';
import { WindowOperator } from './window-operator.ts';
import type { WindowSpec } from './window-spec.ts';

/** Windows that become one when they overlap (sessions). Late is decided after merging. */
export class MergingWindowOperator<T, A> extends WindowOperator<T, A> {
  readonly #sessions: SessionIndex;

  constructor(
    gate: Gate,
    outputs: Outputs,
    spec: WindowSpec<T>,
    accumulator: ItemFormat<A>,
    contents: (operator: WindowOperator<T, A>) => WindowContents<T, A>,
  ) {
    super(gate, outputs, spec, accumulator, contents);
    this.#sessions = new SessionIndex(spec.store, spec.operatorId, spec.assigner.touching ?? 'separate');
  }

  protected place(value: T, timestamp: number, key: unknown): boolean {
    const place = this.#sessions.place(key, this.#seed(value, timestamp));
    if (this.isLate(place.session.end)) return false;
    const cell = this.#enter(key, place);
    if (this.buckets.replaced(cell)) return true;
    const waiting = this.addTo(cell, value, timestamp);
    if (waiting !== undefined) {
      this.gate.suspend(waiting, () => this.fireDue(() => undefined));
    }
    return true;
  }

  /** The bucket of the session that the element belongs to, after the sessions it bridges became one. */
  #enter(key: unknown, place: SessionPlace): BucketCell<A> {
    const { session, absorbed, changed } = place;
    const { namespace } = session;
    if (absorbed.length === 0) this.#markEmpty(key, namespace);
    this.#sessions.put(key, place);
    const [survivor, ...others] = absorbed.map((one) => this.#bucketCell(key, one));
    if (survivor === undefined)
      return this.bucketOf(key, namespace, { start: session.start, end: session.end });
    if (changed) this.#merge(survivor, others, session, absorbed);
    return survivor;
  }

  #merge(
    survivor: BucketCell<A>,
    others: readonly BucketCell<A>[],
    { start, end }: Session,
    absorbed: readonly Window[],
  ): void {
    for (const cell of [survivor, ...others]) {
      this.buckets.touch(cell);
      this.removeTimers(cell);
    }
    const bucket = survivor.value as Bucket<A>;
    bucket.window = { start, end };
    bucket.closing = this.times.closing(bucket.window);
    bucket.cleanup = this.times.cleanup(bucket.window);
    this.addCleanupTimer(survivor);
    try {
      for (const other of others) this.contents.merge(survivor, other);
      const merged: unknown = this.spec.trigger.onMerge?.(
        bucket.window,
        absorbed,
        this.triggerScope.about(survivor, others),
      );
      assertSync(`${this.operator}: onMerge of its trigger`, merged);
      this.triggerScope.about(undefined);
    } catch (error) {
      throw this.triggerFailed(error);
    }
    if (this.buckets.replaced(survivor)) return;
    for (const other of others) {
      this.triggerScope.clearStates(other);
      this.buckets.remove(other);
    }
  }

  /** Bucket and session come and go together, so the bucket exists. */
  #bucketCell(key: unknown, session: Session): BucketCell<A> {
    const cell = this.buckets.obtain(key, session.namespace);
    cell.value ??= newBucket<A>({ start: session.start, end: session.end }, this.times);
    return cell;
  }

  #markEmpty(key: unknown, namespace: number): void {
    if (this.spec.store.resident) return;
    if (this.buckets.find(key, namespace) === undefined) this.buckets.insert(key, namespace);
    this.contents.markEmpty(key, namespace);
    this.triggerScope.markEmpty(key, namespace);
  }

  #seed(value: T, timestamp: number): Window {
    try {
      const seeds = checkWindowList(this.spec.assigner.assignWindows(value, timestamp), this.operator);
      const [seed] = seeds;
      if (seed !== undefined && seeds.length === 1) return checkBoundedWindow(seed, this.operator);
      throw new RsError(
        'RS_INVALID_VALUE',
        `${this.operator}: a merging assigner must give one window per element, got ${seeds.length}`,
      );
    } catch (error) {
      throw this.gate.failed(error);
    }
  }

  protected windowOf(): undefined {
    return undefined; // A session's bounds change; they are stored with the bucket.
  }

  protected forget(cell: BucketCell<A>): void {
    this.#sessions.remove(cell.key, Number(cell.namespace));
  }

  wantRecord({ key }: ComingRecord, want: Want): void {
    this.#sessions.want(key, want, (namespace) => this.wantWindow(key, namespace, want));
  }

  protected override wantWindow(key: unknown, namespace: Namespace, want: Want): void {
    this.#sessions.want(key, want, () => undefined);
    super.wantWindow(key, namespace, want);
  }

  parseNamespace(text: string): Namespace {
    return Number(text);
  }
}
