import { now } from '@rs/bench-harness';
import { indexOf } from '../load/order.ts';
import { Tally } from '../load/tally.ts';
import type { Place, Receiver, Way } from '../ways/way.ts';

/** How long nothing may come before a run is given up. */
const PATIENCE_MS = 20_000;

export interface Received {
  /** When the last order was acknowledged, in the time of {@link now}. */
  readonly endedAt: number;
  readonly cpuMs: number;
}

/** A receiver and what it has received. */
export class Receiving {
  /** When each order was delivered, in the time of {@link now}; only where that is asked for. */
  readonly times: number[] = [];
  readonly #tally: Tally;
  readonly #timed: boolean;
  readonly #cpu = process.cpuUsage();
  #receiver: Receiver | undefined;
  #failure: Error | undefined;
  #expected = Infinity;
  #complete: (() => void) | undefined;

  private constructor(way: Way, timed: boolean) {
    this.#tally = new Tally(way.ordered);
    this.#timed = timed;
  }

  static async open(way: Way, place: Place, timed: boolean): Promise<Receiving> {
    const receiving = new Receiving(way, timed);
    receiving.#receiver = await way.openReceiver(place, (order, partition) => {
      receiving.#deliver(indexOf(order), partition);
    });
    return receiving;
  }

  /**
   * Fulfilled when so many orders were delivered and acknowledged.
   *
   * @throws Error when they were not each of them once, in the order of their partitions
   */
  async all(orders: number): Promise<Received> {
    this.#expected = orders;
    await this.#completed();
    await this.#receiver?.close();
    const endedAt = now();
    if (this.#failure !== undefined) throw this.#failure;
    this.#tally.check(orders);
    const { user, system } = process.cpuUsage(this.#cpu);
    return { endedAt, cpuMs: (user + system) / 1000 };
  }

  #deliver(index: number, partition: number): void {
    if (this.#timed) this.times[index] = now();
    try {
      this.#tally.add(index, partition);
    } catch (error) {
      // Whoever delivers might take it for a reason to deliver again.
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
    }
    if (this.#tally.count >= this.#expected) this.#complete?.();
  }

  #completed(): Promise<void> {
    return new Promise((resolve) => {
      let before = -1;
      const watch = setInterval(() => {
        if (this.#tally.count === before) this.#complete?.();
        before = this.#tally.count;
      }, PATIENCE_MS);
      this.#complete = () => {
        clearInterval(watch);
        resolve();
      };
      if (this.#tally.count >= this.#expected) this.#complete();
    });
  }
}
