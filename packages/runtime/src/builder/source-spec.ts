import type { StreamSource, SubscriptionOptions } from '@rs/core';

/** What a source node reads, for engines to interpret. */
export type SourceSpec =
  | { readonly type: 'iterable'; readonly iterable: Iterable<unknown> }
  | { readonly type: 'asyncIterable'; readonly iterable: AsyncIterable<unknown> }
  | { readonly type: 'custom'; readonly source: StreamSource<unknown> }
  | TopicSpec;

/** Messages of a topic: the values are `Message` objects, each with its own time and with its key as the `key` argument. */
export interface TopicSpec {
  readonly type: 'topic';
  readonly topic: string;
  readonly group: string;
  readonly options: SubscriptionOptions;
}
