import type { Timers } from '@rs/mq';
import { turn } from './turn.ts';

interface Planned {
  readonly at: number;
  readonly run: () => void;
}

/** Time of a test with several processes and a network: it passes when the test says so, and everything else happens at once. */
export class FakeTime {
  readonly #planned = new Set<Planned>();
  readonly #soon: (() => void)[] = [];
  #now = 1_000;

  get now(): number {
    return this.#now;
  }

  /** How much is planned for later. */
  get planned(): number {
    return this.#planned.size;
  }

  /** Plans a call; the result takes it back. What is planned for one time happens in the order of planning. */
  at(time: number, run: () => void): () => void {
    const planned = { at: Math.max(time, this.#now), run };
    this.#planned.add(planned);
    return () => void this.#planned.delete(planned);
  }

  soon(run: () => void): void {
    this.#soon.push(run);
  }

  /** Lets time pass as it does while the event loop is blocked: what is due meanwhile happens afterwards. */
  block(ms: number): void {
    this.#now += ms;
  }

  /** Until everything that follows at once has happened. */
  async settle(): Promise<void> {
    await turn();
    for (let run = this.#soon.shift(); run !== undefined; run = this.#soon.shift()) {
      run();
      await turn();
    }
  }

  /** Lets time pass, stopping wherever something is planned, and everything that follows from it happen. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (let next = this.#first(end); next !== undefined; next = this.#first(end)) {
      this.#planned.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await this.settle();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Lets time pass until `condition` holds, at most `limit` milliseconds. */
  async until(condition: () => boolean, limit: number): Promise<void> {
    const end = this.#now + limit;
    await this.settle();
    while (!condition()) {
      if (this.#now >= end) throw new Error(`it did not happen within ${limit} ms: ${condition.toString()}`);
      const next = this.#first(end);
      await this.advance((next?.at ?? end) - this.#now);
    }
  }

  #first(end: number): Planned | undefined {
    let first: Planned | undefined;
    for (const planned of this.#planned) {
      if (planned.at <= end && (first === undefined || planned.at < first.at)) first = planned;
    }
    return first;
  }
}

/** The timers of one process, which can be stopped for a while, or for good. Time goes on meanwhile, as for a real one. */
export class FakeTimers implements Timers {
  readonly time: FakeTime;
  readonly #held: (() => void)[] = [];
  #state: 'running' | 'stopped' | 'dead' = 'running';

  constructor(time = new FakeTime()) {
    this.time = time;
  }

  get dead(): boolean {
    return this.#state === 'dead';
  }

  get stopped(): boolean {
    return this.#state === 'stopped';
  }

  monotonic(): number {
    return this.time.now;
  }

  after(ms: number, run: () => void): () => void {
    let cancelled = false;
    const cancel = this.time.at(this.time.now + Math.max(0, ms), () => {
      this.run(() => {
        if (!cancelled) run();
      });
    });
    return () => {
      cancelled = true;
      cancel();
    };
  }

  soon(run: () => void): void {
    this.time.soon(() => {
      this.run(run);
    });
  }

  /** Does something in the process, such as taking a reply: now, when it goes on, or never. */
  run(step: () => void): void {
    if (this.#state === 'running') step();
    else if (this.#state === 'stopped') this.#held.push(step);
  }

  /** As SIGSTOP: nothing runs, and what comes meanwhile waits. */
  stop(): void {
    if (this.#state === 'running') this.#state = 'stopped';
  }

  continue(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'running';
    for (const step of this.#held.splice(0)) this.soon(step);
  }

  /** As SIGKILL. */
  kill(): void {
    this.#state = 'dead';
    this.#held.length = 0;
  }

  advance(ms: number): Promise<void> {
    return this.time.advance(ms);
  }

  settle(): Promise<void> {
    return this.time.settle();
  }
}
