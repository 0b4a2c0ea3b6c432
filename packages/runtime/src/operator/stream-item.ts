import type { AnyReceiver } from './receiver.ts';

/** What goes from one operator to the next, as data: for logs and barriers. */
export type StreamItem =
  | {
      readonly type: 'record';
      readonly value: unknown;
      readonly timestamp: number;
      /** The record's key; `undefined` where it has none. */
      readonly key?: unknown;
    }
  | { readonly type: 'watermark'; readonly timestamp: number }
  | { readonly type: 'status'; readonly idle: boolean }
  | { readonly type: 'end' };

/** Gives an item to the receiver it is meant for. */
export function deliver(receiver: AnyReceiver, item: StreamItem): void {
  switch (item.type) {
    case 'record':
      return receiver.record(item.value, item.timestamp, item.key);
    case 'watermark':
      return receiver.watermark(item.timestamp);
    case 'status':
      return receiver.status(item.idle);
    case 'end':
      return receiver.end();
  }
}

/** Turns what a receiver is given into data. */
export function itemReceiver(take: (item: StreamItem) => void): AnyReceiver {
  return {
    record: (value: unknown, timestamp, key) =>
      take(
        key === undefined ? { type: 'record', value, timestamp } : { type: 'record', value, timestamp, key },
      ),
    watermark: (timestamp) => take({ type: 'watermark', timestamp }),
    status: (idle) => take({ type: 'status', idle }),
    end: () => take({ type: 'end' }),
  };
}
