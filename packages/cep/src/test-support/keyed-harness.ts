import type {
  Collector,
  KeyedProcessFunction,
  MapState,
  OpenContext,
  OutputTag,
  ProcessContext,
  State,
  StateDescriptor,
  StateOf,
  ValueState,
} from '@rs/core';

type Kind = 'event' | 'processing';

interface Timer {
  readonly kind: Kind;
  readonly time: number;
  readonly key: string;
}

export interface Emitted<R> {
  readonly key: string;
  readonly timestamp: number;
  readonly value: R;
}

interface Snapshot<R> {
  readonly results: readonly Emitted<R>[];
  readonly outputs: ReadonlyMap<string, Emitted<unknown>[]>;
  readonly timers: readonly Timer[];
  readonly watermark: number;
  readonly now: number;
}

/** The state of one key under one name, as an engine has it: what is stored, and what is in memory of it. */
interface Cell {
  stored: string | undefined;
  value: unknown;
  dirty: boolean;
}

/**
 * Runs a keyed function as an engine does: state is stored as JSON at {@link commit}, kept in memory until {@link forget}, and read
 * again after {@link undo}; timers are durable and fire in the order of their times. Keys are texts, states are values and maps.
 */
export class KeyedHarness<T, R> {
  results: Emitted<R>[] = [];
  outputs = new Map<string, Emitted<unknown>[]>();
  watermark = -Infinity;
  now = 0;
  /** Values of the records that were late. */
  late: unknown[] = [];
  /** Times of the timers that have fired. */
  fired: number[] = [];
  #fn: KeyedProcessFunction<string, T, R>;
  readonly #cells = new Map<string, Cell>();
  #timers: Timer[] = [];
  #key = '';
  #before: Snapshot<R>;

  constructor(fn: KeyedProcessFunction<string, T, R>) {
    this.#fn = fn;
    this.#before = this.#snapshot();
    this.#open();
  }

  element(key: string, value: T, timestamp: number): void {
    this.#call(key, timestamp, (ctx, out) => this.#fn.processElement(key, value, ctx, out));
  }

  /** Fires what is due up to a watermark. `Infinity` is the end of the input. */
  advance(watermark: number): void {
    this.watermark = Math.max(this.watermark, watermark);
    this.#fireDue('event', this.watermark);
  }

  tick(now: number): void {
    this.now = now;
    this.#fireDue('processing', now);
  }

  commit(): void {
    for (const cell of this.#cells.values()) {
      if (!cell.dirty) continue;
      cell.stored = stored(cell.value);
      cell.dirty = false;
    }
    this.#before = this.#snapshot();
  }

  /** A batch has failed: everything is as it was at the last commit. */
  undo(): void {
    for (const cell of this.#cells.values()) if (cell.dirty) reread(cell);
    const { results, outputs, timers, watermark, now } = this.#before;
    this.results = [...results];
    this.outputs = new Map(outputs);
    this.#timers = [...timers];
    this.watermark = watermark;
    this.now = now;
  }

  /** What is in memory is read again when it is needed. */
  forget(): void {
    this.commit();
    for (const cell of this.#cells.values()) reread(cell);
  }

  /** Another process goes on with what is stored. */
  restart(fn: KeyedProcessFunction<string, T, R>): void {
    this.forget();
    this.#fn = fn;
    this.#open();
  }

  /** An engine that has tried a timer often enough. */
  giveUpFirstTimer(kind: Kind = 'event'): void {
    const first = this.#first(kind);
    if (first === undefined) return;
    const { time, key } = first;
    this.#timers = this.#timers.filter((timer) => timer !== first);
    this.#call(key, time, (ctx) => this.#fn.onTimerGivenUp?.(kind, time, key, ctx));
    this.commit();
  }

  /** A state that is gone, while those beside it are in memory still. */
  lose(name: string): void {
    this.#cells.delete(name);
  }

  /** A state whose time to live is over. */
  expire(name: string): void {
    this.commit();
    this.#cells.delete(name);
    this.forget();
  }

  timers(kind: Kind): number[] {
    return this.#timers.filter((timer) => timer.kind === kind).map(({ time }) => time);
  }

  /** Names of the states that hold something, by key. */
  state(): Record<string, unknown> {
    this.commit();
    const entries = [...this.#cells].filter(([, cell]) => cell.stored !== undefined);
    return Object.fromEntries(entries.map(([name, cell]) => [name, JSON.parse(cell.stored ?? 'null')]));
  }

  #open(): void {
    const ctx: OpenContext = { state: (descriptor) => this.#handle(descriptor) };
    this.#fn.open?.(ctx);
  }

  #fireDue(kind: Kind, until: number): void {
    for (
      let timer = this.#first(kind);
      timer !== undefined && timer.time <= until;
      timer = this.#first(kind)
    ) {
      const { time, key } = timer;
      const all = this.#timers;
      this.#timers = all.filter((other) => other !== timer);
      this.fired.push(time);
      this.#call(key, time, (ctx, out) =>
        kind === 'event'
          ? this.#fn.onEventTime?.(time, key, ctx, out)
          : this.#fn.onProcessingTime?.(time, key, ctx, out),
      );
    }
  }

  #first(kind: Kind): Timer | undefined {
    return this.#timers
      .filter((timer) => timer.kind === kind)
      .sort((a, b) => a.time - b.time || (a.key < b.key ? -1 : 1))[0];
  }

  #call(
    key: string,
    timestamp: number,
    run: (ctx: ProcessContext<string>, out: Collector<R>) => unknown,
  ): void {
    this.#key = key;
    const ctx: ProcessContext<string> = {
      key,
      currentEventTime: () => timestamp,
      currentProcessingTime: () => this.now,
      currentWatermark: () => this.watermark,
      registerEventTimeTimer: (time) => this.#register('event', time),
      registerProcessingTimeTimer: (time) => this.#register('processing', time),
      deleteEventTimeTimer: (time) => this.#delete('event', time),
      deleteProcessingTimeTimer: (time) => this.#delete('processing', time),
      state: (descriptor) => this.#handle(descriptor),
      reportLate: (value) => void this.late.push(value),
      output: (tag: OutputTag<unknown>, value: unknown) => {
        const list = this.outputs.get(tag.name) ?? [];
        this.outputs.set(tag.name, [...list, { key, timestamp, value }]);
      },
    };
    run(ctx, { collect: (value) => void this.results.push({ key, timestamp, value }) });
  }

  #register(kind: Kind, time: number): void {
    this.#delete(kind, time);
    this.#timers.push({ kind, time, key: this.#key });
  }

  #delete(kind: Kind, time: number): void {
    this.#timers = this.#timers.filter(
      (timer) => timer.kind !== kind || timer.time !== time || timer.key !== this.#key,
    );
  }

  #cell(name: string): Cell {
    const address = `${this.#key}/${name}`;
    const cell = this.#cells.get(address) ?? { stored: undefined, value: undefined, dirty: false };
    this.#cells.set(address, cell);
    return cell;
  }

  #handle<D extends StateDescriptor>(descriptor: D): StateOf<D>;
  #handle(descriptor: StateDescriptor): State {
    const cell = (): Cell => this.#cell(descriptor.name);
    return descriptor.kind === 'map' ? mapOver(cell) : valueOver(cell);
  }

  #snapshot(): Snapshot<R> {
    const { watermark, now } = this;
    const [results, outputs] = [[...this.results], new Map(this.outputs)];
    return { results, outputs, timers: [...this.#timers], watermark, now };
  }
}

function write(cell: Cell, value: unknown): void {
  cell.value = value;
  cell.dirty = true;
}

function stored(value: unknown): string | undefined {
  if (value instanceof Map) return value.size === 0 ? undefined : JSON.stringify({ map: [...value] });
  return value === undefined ? undefined : JSON.stringify({ value });
}

function reread(cell: Cell): void {
  const read = JSON.parse(cell.stored ?? '{}') as { map?: [string, unknown][]; value?: unknown };
  cell.value = read.map === undefined ? read.value : new Map(read.map);
  cell.dirty = false;
}

function valueOver(cell: () => Cell): ValueState<unknown> {
  return {
    value: () => cell().value,
    update: (value) => write(cell(), value ?? undefined),
    clear: () => write(cell(), undefined),
  };
}

function mapOver(cell: () => Cell): MapState<unknown, unknown> {
  const map = (): Map<string, unknown> =>
    (cell().value as Map<string, unknown> | undefined) ?? new Map<string, unknown>();
  const changed = (change: (map: Map<string, unknown>) => void): void => {
    const next = map();
    change(next);
    write(cell(), next);
  };
  const entries = (): [unknown, unknown][] => [...map()].map(([key, value]) => [JSON.parse(key), value]);
  return {
    get: (key) => map().get(JSON.stringify(key)),
    contains: (key) => map().has(JSON.stringify(key)),
    put: (key, value) => changed((all) => all.set(JSON.stringify(key), value)),
    remove: (key) => changed((all) => all.delete(JSON.stringify(key))),
    entries,
    keys: () => entries().map(([key]) => key),
    values: () => entries().map(([, value]) => value),
    isEmpty: () => map().size === 0,
    clear: () => write(cell(), undefined),
  };
}
