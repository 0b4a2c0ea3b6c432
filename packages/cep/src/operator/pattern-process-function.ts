import type { Collector, KeyedProcessFunction, OpenContext, ProcessContext } from '@rs/core';
import type { AnyMatch } from '../matcher/bindings.ts';
import type { MatcherCore } from '../matcher/matcher-core.ts';
import type { PatternLike } from '../pattern/pattern.ts';
import { specOf } from '../pattern/spec.ts';
import { EventBuffer } from './event-buffer.ts';
import { type KeyedMatch, type PatternProcessOptions, type ProcessSettings, settingsOf } from './options.ts';
import { StoredMatchers } from './stored-matchers.ts';

/** When the input has ended: the last time that a date can have, which windows of what is found can still reckon with. */
const END = 8_640_000_000_000_000;

/**
 * Finds a pattern in the events of each key, as a function for `keyed.process`. `CEP.pattern(keyed, pattern)` is the short form of
 * it.
 *
 * In event time, an event waits in state until the watermark reaches its time, so the order of arrival does not matter; in
 * processing time it is processed at once. Timers see to it that silence is noticed: partial matches time out, and a
 * `notFollowedBy` at the end of a pattern holds, without another event. Matches are emitted with the time at which they
 * became certain, those that waited for others with the time at which these were over. The end of the input releases what
 * still waits, with the last time that a date can have.
 *
 * All that has begun is keyed state, of which only what changes is written. What the function throws for an event, of a condition
 * or a limit, it throws where the event is processed: in event time that is a timer, which the engine tries again. When it gives the timer
 * up, nothing is emitted for it, an event that fails by itself takes no part and goes to `failedOutput`, and the key goes on.
 */
export class PatternProcessFunction<K, T, S extends object> implements KeyedProcessFunction<
  K,
  T,
  KeyedMatch<K, T, S>
> {
  readonly #settings: ProcessSettings<T>;
  readonly #matchers: StoredMatchers<T>;
  readonly #buffer: EventBuffer<T>;

  /**
   * @throws RsError `RS_INVALID_PATTERN` for a pattern that ends with `notFollowedBy` and has no `within`,
   *   `RS_INVALID_ARGUMENT` for an option that cannot be
   */
  constructor(pattern: PatternLike<T, S>, options: PatternProcessOptions<K, T, S> = {}) {
    const where = 'PatternProcessFunction';
    const settings = settingsOf(options, where);
    specOf(pattern, where);
    const { limits, codec, maxTrackedKeys: capacity, onPatternChange } = settings;
    this.#settings = settings;
    this.#matchers = new StoredMatchers({
      program: pattern.program(),
      limits,
      codec,
      capacity,
      onPatternChange,
    });
    this.#buffer = new EventBuffer(codec);
  }

  open(ctx: OpenContext): void {
    this.#matchers.declare(ctx);
    this.#buffer.declare(ctx);
  }

  processElement(key: K, event: T, ctx: ProcessContext<K>, out: Collector<KeyedMatch<K, T, S>>): void {
    if (this.#settings.time === 'event') this.#await(event, ctx);
    else this.#processNow(key, event, ctx, out);
  }

  onEventTime(timestamp: number, key: K, ctx: ProcessContext<K>, out: Collector<KeyedMatch<K, T, S>>): void {
    const { time } = this.#settings;
    const core = this.#matchers.take(ctx);
    const before = waitedFor(core);
    const matches: AnyMatch[] = [];
    if (time === 'event') {
      for (const event of this.#sort(this.#buffer.take(ctx, timestamp)))
        add(matches, core.process(event, timestamp));
      add(matches, core.advance(timestamp));
    }
    if (timestamp === END) add(matches, core.flush());
    this.#finish(core, before, matches, key, ctx, out);
  }

  onProcessingTime(
    timestamp: number,
    key: K,
    ctx: ProcessContext<K>,
    out: Collector<KeyedMatch<K, T, S>>,
  ): void {
    const core = this.#matchers.take(ctx);
    const before = waitedFor(core);
    this.#finish(core, before, core.advance(timestamp), key, ctx, out);
  }

  /**
   * Does what the timer would have done, but hands out nothing: otherwise the next timer would come upon the same, and the key would
   * stand for ever. An event that fails by itself takes no part.
   */
  onTimerGivenUp(kind: 'event' | 'processing', timestamp: number, _key: K, ctx: ProcessContext<K>): void {
    const { failed, time } = this.#settings;
    const events = kind === 'event' && time === 'event' ? this.#buffer.take(ctx, timestamp) : [];
    const refuse = (event: T): void => void (failed !== undefined && ctx.output(failed, event));
    let core: MatcherCore | undefined;
    // State of another pattern is left alone.
    if (!tried(() => (core = this.#matchers.take(ctx))) || core === undefined) {
      events.forEach(refuse);
      return;
    }
    const before = waitedFor(core);
    core.giveUpThrough(timestamp);
    tried(() => this.#sort(events));
    for (const event of events) {
      if (!tried(() => core?.process(event, timestamp))) refuse(event);
    }
    core.giveUpThrough(timestamp === END ? Infinity : timestamp);
    this.#schedule(ctx, before, waitsOf(core));
    this.#matchers.put(ctx, core);
  }

  /** Keeps an event until no earlier one can come. */
  #await(event: T, ctx: ProcessContext<K>): void {
    const timestamp = ctx.currentEventTime();
    if (timestamp <= ctx.currentWatermark()) {
      const { late } = this.#settings;
      ctx.reportLate(event);
      if (late !== undefined) ctx.output(late, event);
    } else if (this.#buffer.add(ctx, event, timestamp)) {
      ctx.registerEventTimeTimer(timestamp);
    }
  }

  /** Those of one time. */
  #sort(events: T[]): T[] {
    const { order } = this.#settings;
    return order === undefined || events.length < 2 ? events : events.sort(order);
  }

  #processNow(key: K, event: T, ctx: ProcessContext<K>, out: Collector<KeyedMatch<K, T, S>>): void {
    const core = this.#matchers.take(ctx);
    const before = waitedFor(core);
    // A clock that goes back must not make events late.
    const now = Math.max(ctx.currentProcessingTime(), core.earliest);
    this.#finish(core, before, core.process(event, now), key, ctx, out);
  }

  /** Writes the state, sees to the next timer, and hands out what was found. */
  #finish(
    core: MatcherCore,
    before: Waits,
    matches: readonly AnyMatch[],
    key: K,
    ctx: ProcessContext<K>,
    out: Collector<KeyedMatch<K, T, S>>,
  ): void {
    const { timedOut, dropped } = this.#settings;
    const partials = { timedOut: core.timedOut.splice(0), dropped: core.dropped.splice(0) };
    this.#schedule(ctx, before, waitsOf(core));
    this.#matchers.put(ctx, core);
    if (timedOut !== undefined) for (const one of partials.timedOut) ctx.output(timedOut, { key, ...one });
    if (dropped !== undefined) for (const one of partials.dropped) ctx.output(dropped, { key, ...one });
    for (const match of matches) out.collect({ key, ...match } as KeyedMatch<K, T, S>);
  }

  /** Timers that nobody needs any more would have to be read for nothing. */
  #schedule(ctx: ProcessContext<K>, before: Waits, after: Waits): void {
    if (after.held !== before.held) {
      if (after.held) ctx.registerEventTimeTimer(END);
      else ctx.deleteEventTimeTimer(END);
    }
    if (before.deadline === after.deadline) return;
    if (this.#settings.time === 'processing') {
      if (before.deadline !== Infinity) ctx.deleteProcessingTimeTimer(before.deadline);
      if (after.deadline !== Infinity) ctx.registerProcessingTimeTimer(after.deadline);
      return;
    }
    // A time has one timer, which waiting events may need too.
    if (before.deadline !== Infinity && !this.#buffer.has(ctx, before.deadline)) {
      ctx.deleteEventTimeTimer(before.deadline);
    }
    if (after.deadline !== Infinity) ctx.registerEventTimeTimer(after.deadline);
  }
}

/** What a key's timers are for, besides events that wait. */
interface Waits {
  /** Of what has begun; `Infinity` for none. */
  readonly deadline: number;
  /** Whether matches wait for others. */
  readonly held: boolean;
}

function waitsOf(core: MatcherCore): Waits {
  const deadline = core.nextDeadline();
  // Beyond the end of time there are no timers.
  return { deadline: deadline >= END ? Infinity : deadline, held: core.held.size > 0 };
}

/** What has timers already: not what the state of another pattern waits for now. */
function waitedFor(core: MatcherCore): Waits {
  return core.foreign ? { deadline: Infinity, held: false } : waitsOf(core);
}

/** Whether it went well. */
function tried(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}

/** There may be more than a call takes arguments. */
function add<M>(list: M[], more: readonly M[]): void {
  for (const one of more) list.push(one);
}
