import type { Case } from '@rs/bench-harness';
import { openCase, type Setting } from './setting.ts';

const PARTITIONS = 8;
const ORDERS = 20_000;

/** What Redis needs for an order that nobody has read: all keys together, by MEMORY USAGE. */
export function bytesPerOrder(setting: Setting): Case {
  const { server } = setting;
  return {
    name: 'Redis bytes per message',
    unit: 'bytes/record',
    figures: {},
    open: () =>
      openCase(
        setting,
        [
          { name: '@rs', role: 'ours', way: 'rs' },
          { name: 'limit', role: 'limit', way: 'script' },
          { name: 'bullmq', role: 'peer', way: 'bullmq' },
        ],
        {
          partitions: PARTITIONS,
          processes: 1,
          run: async ([worker], place) => {
            if (worker === undefined) throw new Error('a process is needed');
            await worker.call('prepare', place);
            const sending = { until: { orders: ORDERS }, inFlight: 8 };
            await worker.call('send', { place, batch: 256, sending });
            return { value: (await server.memoryUsage()) / ORDERS, records: ORDERS };
          },
        },
      ),
  };
}
