import type { DispatchOptions } from '../consumer/dispatch/dispatch-queue.ts';

interface ModelEntry {
  readonly turn: number;
  /** Entries of one lane must not overtake each other. */
  readonly lane: string;
  state: 'waiting' | 'parked' | 'running';
  due: number;
}

/** What `DispatchQueue` must do, said as plainly as possible: one list in the order of adding. Entries go by their place in it. */
export class ModelQueue {
  readonly #options: DispatchOptions;
  #alive: ModelEntry[] = [];
  readonly #ended: ModelEntry[] = [];
  #turn = 0;

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  add(key: string | undefined, due: number | undefined): void {
    const turn = this.#turn++;
    const { ordering } = this.#options;
    const free = ordering === 'none' || key === undefined;
    const lane = ordering === 'partition' ? 'all' : free ? `free ${turn}` : `key ${key}`;
    this.#alive.push({ turn, lane, state: due === undefined ? 'waiting' : 'parked', due: due ?? 0 });
  }

  next(): number | undefined {
    const { ordering, concurrency } = this.#options;
    if (this.running().length >= (ordering === 'partition' ? 1 : concurrency)) return undefined;
    const entry = this.#alive.find(
      (one) =>
        one.state === 'waiting' &&
        !this.#alive.some(
          (other) => other.lane === one.lane && (other.turn < one.turn || other.state === 'running'),
        ),
    );
    if (entry !== undefined) entry.state = 'running';
    return entry?.turn;
  }

  nextBatch(max: number): number[] {
    if (this.running().length > 0) return [];
    for (const entry of this.#alive) {
      const first = !this.#alive.some(
        ({ lane, turn, state }) => lane === entry.lane && turn < entry.turn && state !== 'running',
      );
      if (this.running().length < max && first && entry.state === 'waiting') entry.state = 'running';
    }
    return this.running();
  }

  done(turn: number): void {
    this.#ended.push(...this.#alive.filter((entry) => entry.turn === turn));
    this.#alive = this.#alive.filter((entry) => entry.turn !== turn);
  }

  /** Brings back the entry that ended last. */
  comeBack(due: number): number | undefined {
    const entry = this.#ended.pop();
    if (entry === undefined) return undefined;
    this.#alive.push({ ...entry, state: 'parked', due });
    this.#alive.sort((a, b) => a.turn - b.turn);
    return entry.turn;
  }

  park(turn: number, due: number): void {
    const entry = this.#alive.find((one) => one.turn === turn);
    if (entry !== undefined) Object.assign(entry, { state: 'parked', due });
  }

  unparkDue(now: number): number {
    const due = this.#alive.filter((entry) => entry.state === 'parked' && entry.due <= now);
    for (const entry of due) entry.state = 'waiting';
    return due.length;
  }

  giveBack(): number[] {
    const given = this.#alive.filter(({ state }) => state !== 'running');
    this.#alive = this.#alive.filter(({ state }) => state === 'running');
    return given.map(({ turn }) => turn);
  }

  running(): number[] {
    return this.#alive.filter(({ state }) => state === 'running').map(({ turn }) => turn);
  }

  facts() {
    const parked = this.#alive.filter(({ state }) => state === 'parked');
    const lanes = new Set(parked.map(({ lane }) => lane));
    const held = this.#alive.filter(({ lane, state }) => state !== 'running' && lanes.has(lane)).length;
    const running = this.running().length;
    return {
      running,
      queued: this.#alive.length - running - held,
      parked: held,
      full: held >= this.#options.maxParked,
      nextDue: parked.length === 0 ? undefined : Math.min(...parked.map(({ due }) => due)),
    };
  }
}
