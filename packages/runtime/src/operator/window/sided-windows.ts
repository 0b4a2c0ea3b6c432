import { type Evictor, RsError, type TimestampedElement, type Trigger, type WindowAssigner } from '@rs/core';
import type { Sided } from '../sided.ts';

// Windows of two inputs hold elements with the side that each came by. What users write sees the elements alone.

export function sidedAssigner<A, B>(assigner: WindowAssigner<A | B>): WindowAssigner<Sided<A, B>> {
  const { timeDomain, endless, aligned, touching } = assigner;
  return {
    timeDomain,
    ...(endless === undefined ? {} : { endless }),
    ...(aligned === undefined ? {} : { aligned }),
    ...(touching === undefined ? {} : { touching }),
    assignWindows: ({ value }, timestamp) => assigner.assignWindows(value, timestamp),
    getDefaultTrigger: () => sidedTrigger(assigner.getDefaultTrigger()),
    supportsWindowMerging: () => assigner.supportsWindowMerging(),
    describe: () => assigner.describe(),
  };
}

export function sidedTrigger<A, B>(trigger: Trigger<A | B>): Trigger<Sided<A, B>> {
  const { states } = trigger;
  return {
    ...(states === undefined ? {} : { states }),
    onElement: ({ value }, timestamp, window, ctx) => trigger.onElement(value, timestamp, window, ctx),
    onEventTime: (timestamp, window, ctx) => trigger.onEventTime(timestamp, window, ctx),
    onProcessingTime: (timestamp, window, ctx) => trigger.onProcessingTime(timestamp, window, ctx),
    // One that is missing must stay so: it is asked for where windows merge.
    ...(trigger.onMerge === undefined
      ? {}
      : { onMerge: (merged, absorbed, ctx) => trigger.onMerge?.(merged, absorbed, ctx) }),
    clear: (window, ctx) => trigger.clear?.(window, ctx),
  };
}

export function sidedEvictor<A, B>(evictor: Evictor<A | B>): Evictor<Sided<A, B>> {
  return {
    ...(evictor.evictBefore === undefined
      ? {}
      : {
          evictBefore: (elements, window, ctx) =>
            keptOf<A, B>(elements, (given) => evictor.evictBefore?.(given, window, ctx)),
        }),
    ...(evictor.evictAfter === undefined
      ? {}
      : {
          evictAfter: (elements, window, ctx) =>
            keptOf<A, B>(elements, (given) => evictor.evictAfter?.(given, window, ctx)),
        }),
    describe: () => evictor.describe(),
  };
}

type Elements<T> = readonly TimestampedElement<T>[];

/** Which elements stay; what they are to the evictor tells no side, so it is recognised as an object. */
function keptOf<A, B>(
  elements: Elements<Sided<A, B>>,
  evict: (given: Elements<A | B>) => Elements<A | B> | undefined,
): Elements<Sided<A, B>> {
  const originals = new Map<TimestampedElement<A | B>, TimestampedElement<Sided<A, B>>>();
  for (const element of elements) {
    originals.set({ value: element.value.value, timestamp: element.timestamp }, element);
  }
  const kept = evict([...originals.keys()]) ?? [];
  return kept.map((element) => {
    const original = originals.get(element);
    if (original !== undefined) return original;
    throw new RsError(
      'RS_INVALID_VALUE',
      'an evictor returned an element that it was not given; of two inputs it must return the given objects themselves',
    );
  });
}
