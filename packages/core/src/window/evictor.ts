import type { Window } from './window.ts';

/** An element of a window with its event time. */
export interface TimestampedElement<T> {
  readonly value: T;
  readonly timestamp: number;
}

/** What an evictor can ask about time. */
export interface EvictorContext {
  currentWatermark(): number;
  currentProcessingTime(): number;
}

/**
 * Removes elements of a window when it fires. Stateless. The window then keeps all of its elements, in the order of their
 * arrival, until it is given up: an evictor gives up the constant size of an aggregate.
 */
export interface Evictor<T> {
  /** Before the window function sees them: returns the elements that stay, in their order. */
  evictBefore?(
    elements: readonly TimestampedElement<T>[],
    window: Window,
    ctx: EvictorContext,
  ): readonly TimestampedElement<T>[];
  /** After the window function has seen them: the same. */
  evictAfter?(
    elements: readonly TimestampedElement<T>[],
    window: Window,
    ctx: EvictorContext,
  ): readonly TimestampedElement<T>[];
  /** Short text for graphs and messages, such as `count(10)`. */
  describe(): string;
}
