import type { Collector, KeyedProcessFunction, OpenContext, ProcessContext } from '@rs/core';
import type { AnyMatch } from '../matcher/bindings.ts';
import type { Engine } from '../matcher/engine.ts';
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
 * or a limit, it throws where the event is processed: in event time that is a timer, and what the engine does with timers that
 * go on failing decides. When it gives one up, the events of that time take no part, and the key goes on.
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
    const { order, time } = this.#settings;
    const engine = this.#matchers.take(() => this.#buffer.removeBefore(timestamp));
    const before = waitsOf(engine);
    const matches: AnyMatch[] = [];
    if (time === 'event') {
      // What was due before has had a timer, which the engine has given up: so it must not make this one fail too.
      if (before.deadline < timestamp) engine.giveUpThrough(timestamp - 1);
      const events = this.#buffer.take(timestamp);
      if (order !== undefined && events.length > 1) events.sort(order);
      for (const event of events) add(matches, engine.process(event, timestamp));
      add(matches, engine.advance(timestamp));
    }
    if (timestamp === END) add(matches, engine.flush());
    this.#finish(engine, before, matches, key, ctx, out);
  }

  onProcessingTime(
    timestamp: number,
    key: K,
    ctx: ProcessContext<K>,
    out: Collector<KeyedMatch<K, T, S>>,
  ): void {
    const engine = this.#matchers.take();
    const before = waitsOf(engine);
    this.#finish(engine, before, engine.advance(timestamp), key, ctx, out);
  }

  /** Keeps an event until no earlier one can come. */
  #await(event: T, ctx: ProcessContext<K>): void {
    const timestamp = ctx.currentEventTime();
    if (timestamp <= ctx.currentWatermark()) {
      const { late } = this.#settings;
      ctx.reportLate(event);
      if (late !== undefined) ctx.output(late, event);
    } else if (this.#buffer.add(event, timestamp)) {
      ctx.registerEventTimeTimer(timestamp);
    }
  }

  #processNow(key: K, event: T, ctx: ProcessContext<K>, out: Collector<KeyedMatch<K, T, S>>): void {
    const engine = this.#matchers.take();
    const before = waitsOf(engine);
    // A clock that goes back must not make events late.
    const now = Math.max(ctx.currentProcessingTime(), engine.earliest);
    this.#finish(engine, before, engine.process(event, now), key, ctx, out);
  }

  /** Writes the state, sees to the next timer, and hands out what was found. */
  #finish(
    engine: Engine,
    before: Waits,
    matches: readonly AnyMatch[],
    key: K,
    ctx: ProcessContext<K>,
    out: Collector<KeyedMatch<K, T, S>>,
  ): void {
    const { timedOut, dropped } = this.#settings;
    const partials = { timedOut: engine.timedOut.splice(0), dropped: engine.dropped.splice(0) };
    this.#schedule(ctx, before, waitsOf(engine));
    this.#matchers.put(engine);
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
    if (before.deadline !== Infinity && !this.#buffer.has(before.deadline)) {
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

function waitsOf(engine: Engine): Waits {
  return { deadline: engine.nextDeadline(), held: engine.held.size > 0 };
}

/** There may be more than a call takes arguments. */
function add<M>(list: M[], more: readonly M[]): void {
  for (const one of more) list.push(one);
}
