import { type Topic, topic } from '@rs/core';

/** A topic of which the test knows what is in it. Beside variables that are called `topic`. */
export function typed<T>(name: string): Topic<T> {
  return topic<T>(name);
}
