import { jsonCodec, RsError } from '@rs/core';
import type { InputItem } from '../driver/batched/input-item.ts';
import { errorReason } from '../error-reason.ts';

const codec = jsonCodec<unknown>();

/**
 * A value as it would come out of a log or a store.
 *
 * @param where how the error calls the place that the value goes to
 * @throws RsError `RS_INVALID_VALUE` when it cannot be stored
 */
export function transferred(value: unknown, where: string): unknown {
  return codec.decode(encoded(value, where));
}

/** An item as text. */
export interface LoggedItem {
  readonly type: InputItem['type'];
  readonly text: string;
}

/**
 * The input of a task: it survives crashes, as a log in Redis does. Items are kept as text, so that what a function
 * changes in a record does not come back when the record is delivered again.
 */
export class ItemLog {
  readonly #items: LoggedItem[] = [];

  get length(): number {
    return this.#items.length;
  }

  push(...items: readonly LoggedItem[]): void {
    this.#items.push(...items);
  }

  /** The type of an item; `undefined` behind the last one. */
  typeAt(position: number): InputItem['type'] | undefined {
    return this.#items[position]?.type;
  }

  read(from: number, to: number): InputItem[] {
    return this.#items.slice(from, to).map(({ text }) => codec.decode(text) as InputItem);
  }
}

/** @throws RsError `RS_INVALID_VALUE` when the value of a record cannot be stored */
export function loggedItem(item: InputItem, where = 'a record'): LoggedItem {
  try {
    return { type: item.type, text: encoded(item, where) };
  } catch (error) {
    if (item.type === 'record') encoded(item.value, where); // So that the message is about the value, not about the item.
    throw error;
  }
}

function encoded(value: unknown, where: string): string {
  try {
    return codec.encode(value) as string;
  } catch (error) {
    throw new RsError('RS_INVALID_VALUE', `${where}: ${errorReason(error)}`, { cause: error });
  }
}
