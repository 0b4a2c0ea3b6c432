import { RsError } from '@rs/core';
import type { MeetReply } from '../ownership/job-meeting.ts';
import { readFacts } from '../ownership/member-facts.ts';
import type { AcquireReply } from '../store/task-lease.ts';
import type { FakeTime, FakeTimers } from './fake-timers.ts';

export const MANIFEST = { hash: 'h', text: '{}' };

interface StoredLease {
  readonly token: string;
  readonly owner: string;
  readonly epoch: number;
  until: number;
}

/** What becomes of one call: `lost` never gets there, `no reply` is done and not told, `late` is done after it was given up. */
export type Fault = 'lost' | 'no reply' | 'late' | undefined;

/** What the processes of a job share: leases, members, and what has ended. Each call of theirs takes as long as the test says. */
export class SharedRedis {
  readonly time: FakeTime;
  readonly leases = new Map<number, StoredLease>();
  readonly epochs = new Map<number, number>();
  readonly members = new Map<string, { readonly until: number; readonly facts: string }>();
  readonly ended = new Set<string>();
  manifest: string | undefined = MANIFEST.hash;
  /** Told when a process has become the owner of a task. */
  onAcquired: () => void = () => undefined;
  /** Decides on each call. */
  fate: (what: string, member: string) => { readonly delay?: number; readonly fault?: Fault } = () => ({});

  constructor(time: FakeTime) {
    this.time = time;
  }

  call<T>(process: FakeTimers, member: string, what: string, run: () => T): Promise<T> {
    const { delay = 0, fault } = this.fate(what, member);
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => {
        const tell = (): void => process.run(settle);
        if (delay === 0) tell();
        else this.time.at(this.time.now + delay, tell);
      };
      const arrive = (): void => {
        // A process that was killed before its call went out made none.
        if (fault === 'late') this.time.at(this.time.now + 400, () => void run());
        const done = fault === undefined || fault === 'no reply' ? run() : undefined;
        answer(() => {
          if (fault === undefined) resolve(done as T);
          else reject(new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost'));
        });
      };
      if (delay === 0) arrive();
      else this.time.at(this.time.now + delay, arrive);
    });
  }

  acquire(partition: number, token: string, owner: string, ttl: number): AcquireReply {
    const now = this.time.now;
    const held = this.leases.get(partition);
    if (held !== undefined && held.token !== token && held.until > now) {
      return { type: 'busy', left: held.until - now, owner: held.owner };
    }
    const epoch =
      held?.token === token
        ? held.epoch
        : (this.epochs.set(partition, (this.epochs.get(partition) ?? 0) + 1),
          this.epochs.get(partition) ?? 0);
    this.leases.set(partition, { token, owner, epoch, until: now + ttl });
    const stored = {
      ...{ seq: 0, offset: '0-0', count: 0, operators: {}, late: {}, cursors: {} },
      ...{ gen: 'g', until: undefined, ended: false },
    };
    return { type: 'acquired', lease: { token, epoch, now, stored, crashes: 0, started: '' } };
  }

  release(partition: number, token: string): boolean {
    if (this.leases.get(partition)?.token !== token) return false;
    this.leases.delete(partition);
    return true;
  }

  renew(partition: number, token: string, ttl: number): boolean {
    const held = this.leases.get(partition);
    if (held?.token !== token) return false;
    held.until = this.time.now + ttl;
    return true;
  }

  meet(member: string, facts: string, ttl: number, known: number, ends: readonly string[]): MeetReply {
    if (this.manifest === undefined) return { type: 'lost' };
    if (this.manifest !== MANIFEST.hash) return { type: 'other' };
    for (const each of ends) this.ended.add(each);
    const now = this.time.now;
    if (ttl > 0) this.members.set(member, { until: now + ttl, facts });
    else this.members.delete(member);
    for (const [id, { until }] of this.members) if (until <= now) this.members.delete(id);
    const others = [...this.members].filter(([id]) => id !== member).map(([, { until }]) => until - now);
    return {
      type: 'met',
      members: [...this.members].map(([id, each]) => ({ id, ...readFacts(each.facts) })),
      firstExpiry: others.length === 0 ? undefined : Math.min(...others),
      ended: this.ended.size === known ? undefined : [...this.ended],
    };
  }
}
