import { compareIds } from '../consumer/position/entry-id.ts';
import type { Executed } from './fake-broker.ts';
import type { ModelRedis } from './model-redis.ts';
import { pendingIds } from './model-stream.ts';

export interface WatchedKeys {
  readonly stream: string;
  readonly dead: string;
  readonly lease: string;
  readonly retries: string;
  readonly attempts: string;
  readonly redelivery: string;
}

export interface WatchOptions {
  readonly redis: ModelRedis;
  readonly group: string;
  /** By partition. */
  readonly keys: readonly WatchedKeys[];
  readonly maxAttempts: number;
  /** Whether two handlers of a member may run at the same time, by the keys of their messages; `undefined`: nothing is known about that. */
  readonly mayOverlap: ((a: string | undefined, b: string | undefined) => boolean) | undefined;
}

/** A call of a handler. */
export interface WatchedCall {
  readonly member: string;
  readonly partition: number;
  readonly id: string;
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

const OWNERS = new Set(['settle-messages', 'fetch-entries', 'take-over-pending']);

/** Watches a group of consumers and its Redis: notes what must never be, and tells what there is still to do. */
export class GroupWatch {
  readonly violations = new Set<string>();
  /** Partition and id of everything that is to be handled. */
  readonly sent = new Map<string, { readonly partition: number; readonly mayDie: boolean }>();
  /** Partition and id of what came back from the dead letters. */
  readonly redelivered = new Set<string>();
  /** Partitions whose group was destroyed: what was settled above the low watermark comes again. */
  readonly destroyed = new Set<number>();
  /** Epoch milliseconds until which owners may not know that Redis has lost their leases. */
  flushedUntil = 0;
  /** In the order in which they first succeeded under a valid lease. */
  readonly #succeeded = new Map<string, Pick<WatchedCall, 'partition' | 'id' | 'key'>>();
  readonly #running = new Set<WatchedCall>();
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  started(call: WatchedCall, attempt: number): void {
    const { member, partition, id, key } = call;
    const { redis, maxAttempts, mayOverlap } = this.#options;
    const what = `handler of ${id}, partition ${partition}, started by ${member} at ${redis.now}`;
    const owner = this.#ownerOf(partition);
    if (owner !== member && redis.now >= this.flushedUntil)
      this.violations.add(`${what}: the owner is ${owner}`);
    if (attempt > maxAttempts) this.violations.add(`${what}: attempt ${attempt}`);
    const stored = Number.parseInt(redis.hashes.get(this.#keys(partition).attempts)?.get(id) ?? '0', 10);
    if (attempt <= stored) this.violations.add(`${what}: attempt ${attempt} though ${stored} have failed`);
    for (const other of this.#running) {
      const together = other.member === member && other.partition === partition && !other.signal.aborted;
      if (together && mayOverlap?.(key, other.key) === false) {
        this.violations.add(`${what} while that of ${other.id} runs`);
      }
    }
    this.#running.add(call);
  }

  ended(call: WatchedCall): void {
    this.#running.delete(call);
  }

  /** What succeeds under a lease that is another's does not count: it comes again. */
  succeeded({ member, partition, id, key }: WatchedCall): void {
    const place = `${partition} ${id}`;
    if (this.#ownerOf(partition) !== member || this.#succeeded.has(place)) return;
    this.#succeeded.set(place, { partition, id, key });
  }

  /** Looks at Redis after what an owner did to it. */
  executed({ client, call, reply }: Executed): void {
    const status: unknown = Array.isArray(reply) ? reply[0] : reply;
    const { name } = call.script;
    if (String(status) !== 'OK' || !OWNERS.has(name)) return;
    const { redis, keys, group } = this.#options;
    const partition = keys.findIndex(({ stream }) => stream === call.keys[0]);
    const lease = redis.hash(this.#keys(partition).lease);
    this.#mustNot(
      lease.get('owner')?.split('-')[0] !== client,
      `${name} of ${client}, which is not the owner`,
    );
    const found = redis.group(this.#keys(partition).stream, group);
    if (found === undefined) return;
    const low = lease.get('low') ?? '0-0';
    const [first = low] = pendingIds(found).filter((id) => compareIds(id, low) <= 0);
    this.#mustNot(first !== low || found.pending.has(low), `low is ${low}, and ${first} is pending`);
    this.#mustNot(compareIds(found.delivered, low) < 0, `low is ${low}, delivered is ${found.delivered}`);
    const dead = this.deadIds(partition);
    const twice = new Set(dead).size < dead.length && !this.destroyed.has(partition);
    this.#mustNot(twice, `dead letters of partition ${partition}: ${dead.join(' ')}`);
  }

  deadIds(partition: number): string[] {
    const entries = this.#options.redis.streams.get(this.#keys(partition).dead)?.entries ?? [];
    return entries.map(({ fields }) => String(fields[1]));
  }

  /** What there is still to do in Redis; nothing when all is at rest. */
  rest(): string[] {
    const { redis, keys, group } = this.#options;
    return keys.flatMap(({ stream, lease, retries, attempts, redelivery }, partition) => {
      const log = redis.streams.get(stream);
      if (log === undefined || log.added.length === 0) return [];
      const low = redis.hashes.get(lease)?.get('low');
      const left = {
        'no group': log.groups.has(group) ? 0 : 1,
        pending: log.groups.get(group)?.pending.size,
        retries: redis.sortedSets.get(retries)?.size,
        attempts: redis.hashes.get(attempts)?.size,
        redelivery: redis.streams.get(redelivery)?.entries.length,
        [`low is ${low}, last is ${log.last}`]: low === log.last ? 0 : 1,
      };
      return Object.entries(left).flatMap(([what, count = 0]) =>
        count > 0 ? [`partition ${partition}: ${what}`] : [],
      );
    });
  }

  /** Messages that were neither handled nor are dead letters. */
  missing(): string[] {
    const { keys } = this.#options;
    const dead = new Set(
      keys.flatMap((_, partition) => this.deadIds(partition).map((id) => `${partition} ${id}`)),
    );
    return [...this.sent.keys()].filter((place) => !this.#succeeded.has(place) && !dead.has(place));
  }

  /**
   * Messages that a later one of their partition or key was handled before. Those that may have been dead already do not count: a crash may
   * undo that.
   */
  disordered(by: 'partition' | 'key'): string[] {
    const last = new Map<string, string>();
    return [...this.#succeeded].flatMap(([place, { partition, id, key }]) => {
      const lane = by === 'partition' ? String(partition) : key;
      if (lane === undefined || this.redelivered.has(place) || this.sent.get(place)?.mayDie !== false)
        return [];
      const before = last.get(lane) ?? '0-0';
      last.set(lane, id);
      return compareIds(id, before) < 0 ? [`${id} after ${before} in ${lane}`] : [];
    });
  }

  /** Name of the member whose lease is valid. */
  #ownerOf(partition: number): string | undefined {
    const { redis } = this.#options;
    const lease = redis.hashes.get(this.#keys(partition).lease);
    const valid = lease?.get('token') !== undefined && Number(lease.get('until')) > redis.now;
    return valid ? lease.get('owner')?.split('-')[0] : undefined;
  }

  #keys(partition: number): WatchedKeys {
    const keys = this.#options.keys[partition];
    if (keys === undefined) throw new Error(`there is no partition ${partition}`);
    return keys;
  }

  #mustNot(is: boolean, what: string): void {
    if (is) this.violations.add(what);
  }
}
