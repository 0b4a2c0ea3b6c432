import { subscribe as listen } from 'node:diagnostics_channel';
import { DIAGNOSTICS_CHANNELS } from '@rs/core';
import { Redis } from 'ioredis';
import type { HandlerContext } from '../consumer/handler.ts';
import type { HandlerResult } from '../consumer/outcome.ts';
import type { ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { createMq } from '../mq.ts';
import { systemTimers } from '../time/timers.ts';

// A consumer in a process of its own, which tests kill, stop and block; see ConsumerProcess. It tells what happens and does as it
// is told by messages. It ends with the process that started it.

export interface ProgramOptions {
  readonly url: string;
  readonly topic: string;
  readonly group: string;
  readonly name: string;
  readonly lease: number;
  readonly subscription?: ConsumerSubscriptionOptions;
  /** Handlers of these values wait until they are told to `release`. */
  readonly hold?: readonly unknown[];
  /** Handlers return the value, which is a result in words. */
  readonly answers?: boolean;
  /** The process ends by SIGKILL in the handler of this value. */
  readonly dieOn?: unknown;
  /** Instead of values, which are texts, their lengths are told. */
  readonly terse?: boolean;
  /** With `ack: 'manual'`: handlers return without acknowledging; `release` acknowledges. */
  readonly manual?: boolean;
}

export type Told =
  | { readonly type: 'started' | 'blocked' }
  /** The most bytes that buffers took up when a handler was called. */
  | { readonly type: 'closed'; readonly buffers: number }
  | { readonly type: 'acquired' | 'lost' | 'released'; readonly partition: number }
  | { readonly type: 'handling' | 'handled'; readonly value: unknown; readonly attempt: number }
  | { readonly type: 'aborted'; readonly value: unknown; readonly code: string };

export type Order =
  | { readonly do: 'release' | 'close' }
  /** Blocks the event loop for so many milliseconds. */
  | { readonly do: 'block'; readonly ms: number };

const options = JSON.parse(process.argv[2] ?? '{}') as ProgramOptions;
const held: (() => void)[] = [];
let released = false;
let buffers = 0;

function tell(message: Told): void {
  process.send?.(message);
}

function waitForRelease(): Promise<void> {
  return released ? Promise.resolve() : new Promise((resolve) => held.push(resolve));
}

async function handle(sent: unknown, context: HandlerContext): Promise<HandlerResult> {
  const { attempt, signal } = context;
  const value = options.terse === true ? String(sent).length : sent;
  buffers = Math.max(buffers, process.memoryUsage().arrayBuffers);
  tell({ type: 'handling', value, attempt });
  signal.addEventListener('abort', () => {
    tell({ type: 'aborted', value, code: (signal.reason as { code: string }).code });
  });
  if (value === options.dieOn) process.kill(process.pid, 'SIGKILL');
  if (options.manual === true) {
    void waitForRelease().then(() => context.ack());
    return undefined;
  }
  if (options.hold?.includes(value) === true) await waitForRelease();
  tell({ type: 'handled', value, attempt });
  return options.answers === true ? (value as HandlerResult) : undefined;
}

for (const [type, channel] of [
  ['acquired', DIAGNOSTICS_CHANNELS.partitionAcquired],
  ['lost', DIAGNOSTICS_CHANNELS.partitionLost],
  ['released', DIAGNOSTICS_CHANNELS.partitionReleased],
] as const) {
  listen(channel, (facts) => tell({ type, partition: (facts as { partition: number }).partition }));
}

const mq = createMq({ redis: new Redis(options.url, { lazyConnect: true }) });
const consumer = mq.consumer({
  group: options.group,
  name: options.name,
  lease: options.lease,
  rebalanceInterval: 100,
  pollTimeout: 500,
});
consumer.subscribe(options.topic, ({ value }, context) => handle(value, context), {
  ...options.subscription,
  ...(options.manual === true ? { ack: 'manual' } : {}),
});

const leave = (): void => process.exit(1);
process.on('disconnect', leave);
process.on('message', (order: Order) => {
  switch (order.do) {
    case 'release':
      released = true;
      for (const resume of held.splice(0)) resume();
      break;
    case 'block': {
      const until = systemTimers.monotonic() + order.ms;
      while (systemTimers.monotonic() < until);
      tell({ type: 'blocked' });
      break;
    }
    case 'close':
      void mq.close().then(() => {
        tell({ type: 'closed', buffers });
        // Nothing else may keep it running.
        process.off('disconnect', leave);
        process.disconnect();
      });
      break;
  }
});

await consumer.start();
tell({ type: 'started' });
