import { becomesQuiet, type JobSimulation } from '@rs/runtime/testing';
import type { TestClock } from './test-clock.ts';

/** A stretch of time that is to pass: what is left of it, in milliseconds. */
interface Stretch {
  left: number;
}

/** Moves the clock of a job. */
export class PassingTime {
  readonly #job: JobSimulation;
  readonly #clock: TestClock;

  constructor(job: JobSimulation, clock: TestClock) {
    this.#job = job;
    this.#clock = clock;
  }

  /** Fires what is due already: a timer may be registered for a time that has come. */
  async fireDue(): Promise<void> {
    while ((await this.#job.nextTimer()) <= this.#clock.now()) await this.#job.tick();
  }

  /**
   * Lets time pass, once it is its turn behind earlier calls. What these calls, or the timers that fire, lead to may itself
   * wait for the clock; it cannot go on otherwise, so the clock moves on for it.
   *
   * @param inTurn gives a call its turn
   * @returns once all of it has passed; what still waits for the clock then goes on when more time passes
   */
  pass(millis: number, inTurn: (call: () => Promise<void>) => Promise<void>): Promise<void> {
    const stretch = { left: millis };
    const passed = inTurn(() => this.#passAll(stretch));
    return Promise.race([passed, this.#passForWaiting(stretch, passed)]);
  }

  /** Goes from timer to timer, so that each sees the time that it was registered for. */
  async #passAll(stretch: Stretch): Promise<void> {
    await this.#job.flush();
    for (let next = await this.#untilNext(); next <= stretch.left; next = await this.#untilNext()) {
      this.#move(stretch, next);
      await this.#job.tick();
      await this.#clock.breath();
    }
    this.#move(stretch, stretch.left);
    await this.#job.tick();
  }

  /** Milliseconds until a timer is due, or something that has waited for the clock goes on. */
  async #untilNext(): Promise<number> {
    const next = Math.min(await this.#job.nextTimer(), this.#clock.next);
    return Math.max(0, next - this.#clock.now());
  }

  async #passForWaiting(stretch: Stretch, passed: Promise<void>): Promise<void> {
    // What needs some turns of the event loop, such as a look-up, is not to be timed out because of them.
    while (!(await this.endOrQuiet(passed))) {
      if (this.#clock.next === Infinity) continue; // It waits for something else.
      if (stretch.left === 0) return;
      this.#move(stretch, Math.min(stretch.left, Math.max(0, this.#clock.next - this.#clock.now())));
    }
    return passed;
  }

  /** Resolves when work has ended, with true, or when it waits for the clock or a promise of the test. */
  async endOrQuiet(work: Promise<unknown>): Promise<boolean> {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    return !(await becomesQuiet(
      this.#clock,
      () => this.#progress(),
      () => over,
    ));
  }

  /** Changes whenever a task commits, and when somebody begins or ends to wait for the clock. */
  #progress(): number {
    return this.#job.tasks.reduce((sum, { backend }) => sum + backend.commits().length, this.#clock.changes);
  }

  #move(stretch: Stretch, millis: number): void {
    stretch.left -= millis;
    this.#clock.moveTo(this.#clock.now() + millis);
  }
}
