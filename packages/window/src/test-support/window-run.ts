import type { Trigger, TriggerResult, Window } from '@rs/core';
import { FakeTriggerContext } from './fake-trigger-context.ts';

/** One window as an engine runs it: due timers fire in the order of their times, each as soon as it is due. */
export class WindowRun<T> {
  readonly ctx: FakeTriggerContext;
  readonly trigger: Trigger<T>;
  readonly window: Window;
  #answers: string[] = [];
  /** The clock's own time; the context shows that of the timer that is firing. */
  #clock = 0;

  constructor(trigger: Trigger<T>, window: Window) {
    this.trigger = trigger;
    this.window = window;
    this.ctx = new FakeTriggerContext(window.end - 1, trigger.states ?? []);
  }

  /** The run of the window that replaces those of `absorbed`; its clocks are theirs. */
  static merged<T>(trigger: Trigger<T>, window: Window, absorbed: readonly WindowRun<T>[]): WindowRun<T> {
    const run = new WindowRun(trigger, window);
    run.ctx.absorbed = absorbed.map(({ ctx }) => ctx);
    run.ctx.watermark = Math.max(...absorbed.map(({ ctx }) => ctx.watermark));
    run.#clock = Math.max(...absorbed.map((one) => one.#clock));
    run.ctx.processingTime = run.#clock;
    trigger.onMerge?.(
      window,
      absorbed.map((one) => one.window),
      run.ctx,
    );
    run.ctx.absorbed = [];
    return run;
  }

  element(value: T, timestamp: number): this {
    this.#note('element', this.trigger.onElement(value, timestamp, this.window, this.ctx));
    this.#fireDue();
    return this;
  }

  watermark(timestamp: number): this {
    this.ctx.watermark = timestamp;
    this.#fireDue();
    return this;
  }

  clock(time: number): this {
    this.#clock = time;
    this.ctx.processingTime = time;
    this.#fireDue();
    return this;
  }

  /** As engines end: the watermark is `+Infinity`, and the clock runs on to every timer. */
  end(): this {
    this.ctx.watermark = Infinity;
    return this.clock(Infinity);
  }

  /** The answers since the last call other than `CONTINUE`, such as `element FIRE` and `event 10 FIRE`. */
  answers(): string[] {
    const answers = this.#answers;
    this.#answers = [];
    return answers;
  }

  #fireDue(): void {
    for (;;) {
      const processing = takeFirst(this.ctx.processingTimers, this.#clock);
      if (processing !== undefined) {
        this.ctx.processingTime = processing;
        const answer = this.trigger.onProcessingTime(processing, this.window, this.ctx);
        this.ctx.processingTime = this.#clock;
        this.#note(`clock ${processing}`, answer);
        continue;
      }
      const event = takeFirst(this.ctx.eventTimers, this.ctx.watermark);
      if (event === undefined) return;
      this.#note(`event ${event}`, this.trigger.onEventTime(event, this.window, this.ctx));
    }
  }

  #note(asked: string, answer: TriggerResult): void {
    if (answer !== 'CONTINUE') this.#answers.push(`${asked} ${answer}`);
  }
}

function takeFirst(timers: Set<number>, limit: number): number | undefined {
  const first = Math.min(...timers);
  if (timers.size === 0 || first > limit) return undefined;
  timers.delete(first);
  return first;
}
