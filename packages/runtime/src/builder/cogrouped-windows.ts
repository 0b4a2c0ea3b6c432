import {
  checkCodec,
  checkObject,
  type CogroupedWindows,
  type CogroupFunction,
  type CogroupOptions,
  type DataStream,
  type Duration,
  type Evictor,
  type LatenessOptions,
  type OutputTag,
  outputTag,
  type ProcessCogroupFunction,
  type Trigger,
  type WindowAssigner,
  type WindowedStream,
} from '@rs/core';
import type { NodeInput } from '../graph/node.ts';
import type { Sided } from '../operator/sided.ts';
import { sidedCodec } from '../operator/window/sided-codec.ts';
import { sidedAssigner, sidedEvictor, sidedTrigger } from '../operator/window/sided-windows.ts';
import { checkFunction, checkTag } from './checks.ts';
import type { BuilderHost } from './host.ts';
import { checkEvictor, checkTrigger } from './window-checks.ts';
import { WindowedStreamBuilder, windowSettings } from './windowed-stream.ts';

/** Windows of two inputs: those of one stream whose elements tell which input they came by. */
export class CogroupedWindowsBuilder<K, A, B> implements CogroupedWindows<K, A, B> {
  readonly #windows: WindowedStream<K, Sided<A, B>>;

  constructor(windows: WindowedStream<K, Sided<A, B>>) {
    this.#windows = windows;
  }

  static of<K, A, B>(
    host: BuilderHost,
    input: NodeInput,
    assigner: WindowAssigner<A | B>,
  ): CogroupedWindowsBuilder<K, A, B> {
    const evictor = assigner.getDefaultEvictor?.<A | B>();
    return new CogroupedWindowsBuilder<K, A, B>(
      new WindowedStreamBuilder<K, Sided<A, B>>(host, input, {
        ...windowSettings(host, sidedAssigner<A, B>(assigner)),
        evictor: evictor === undefined ? undefined : sidedEvictor<A, B>(evictor),
        lateValue: ({ value }) => value,
      }),
    );
  }

  trigger(trigger: Trigger<A | B>): CogroupedWindows<K, A, B> {
    checkTrigger(trigger);
    return new CogroupedWindowsBuilder(this.#windows.trigger(sidedTrigger(trigger)));
  }

  evictor(evictor: Evictor<A | B>): CogroupedWindows<K, A, B> {
    checkEvictor(evictor);
    return new CogroupedWindowsBuilder(this.#windows.evictor(sidedEvictor<A, B>(evictor)));
  }

  allowedLateness(duration: Duration, options?: LatenessOptions): CogroupedWindows<K, A, B> {
    return new CogroupedWindowsBuilder(this.#windows.allowedLateness(duration, options));
  }

  sideOutputLateData(tag: OutputTag<A | B>): CogroupedWindows<K, A, B> {
    checkTag(tag, 'sideOutputLateData');
    // A tag is its name; what is sent to it are the elements alone.
    return new CogroupedWindowsBuilder(this.#windows.sideOutputLateData(outputTag(tag.name)));
  }

  apply<OUT>(fn: CogroupFunction<K, A, B, OUT>, options: CogroupOptions<A, B> = {}): DataStream<OUT> {
    checkFunction(fn, 'apply', 'a cogroup function');
    return this.#windows.apply<OUT>(
      (key, window, elements, out) => fn(key, window, leftsOf(elements), rightsOf(elements), out),
      storedBothSides(options, 'apply'),
    );
  }

  process<OUT>(
    fn: ProcessCogroupFunction<K, A, B, OUT>,
    options: CogroupOptions<A, B> = {},
  ): DataStream<OUT> {
    checkFunction(fn, 'process', 'a cogroup function');
    return this.#windows.process<OUT>(
      (key, window, elements, ctx, out) => fn(key, window, leftsOf(elements), rightsOf(elements), ctx, out),
      storedBothSides(options, 'process'),
    );
  }
}

function leftsOf<A, B>(elements: readonly Sided<A, B>[]): A[] {
  return elements.filter(({ input }) => input === 0).map(({ value }) => value as A);
}

function rightsOf<A, B>(elements: readonly Sided<A, B>[]): B[] {
  return elements.filter(({ input }) => input === 1).map(({ value }) => value as B);
}

function storedBothSides<A, B>(options: CogroupOptions<A, B>, operation: string) {
  checkObject(options, `${operation}: options`);
  const { leftCodec, rightCodec, ...others } = options;
  checkCodec(leftCodec, `${operation}: leftCodec`);
  checkCodec(rightCodec, `${operation}: rightCodec`);
  return { name: 'cogroup', ...others, codec: sidedCodec(leftCodec, rightCodec) };
}
