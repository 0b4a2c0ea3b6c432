import { type Case, cpuFigure, percent } from '@rs/bench-harness';
import { type Entrant, openCase, type Setting } from './setting.ts';

const SEND_MS = 2_000;
const BATCH = 256;
const IN_FLIGHT = 8;

const ENTRANTS: readonly Entrant[] = [
  { name: '@rs', role: 'ours', way: 'rs' },
  { name: 'limit', role: 'limit', way: 'script' },
  { name: 'bullmq', role: 'peer', way: 'bullmq' },
  { name: 'ioredis pipelines', role: 'aside', way: 'pipelines' },
];

/** One process sends batches for a while, another one handles them; timed from the first call to the last acknowledgement. */
export function endToEnd(setting: Setting, partitions: number): Case {
  const { server } = setting;
  return {
    name: `end to end, ${partitions} ${partitions === 1 ? 'partition' : 'partitions'}, 2 processes`,
    unit: 'records/s',
    figures: {
      producerCpu: cpuFigure('producer'),
      consumerCpu: cpuFigure('consumer'),
      redisCpu: cpuFigure('Redis'),
    },
    open: () =>
      openCase(setting, ENTRANTS, {
        partitions,
        processes: 2,
        run: async ([producer, consumer], place) => {
          if (producer === undefined || consumer === undefined) throw new Error('two processes are needed');
          await producer.call('prepare', place);
          await consumer.call('openReceiver', { place, timed: false });
          const redisBefore = await server.cpuMs();
          const sending = { until: { millis: SEND_MS }, inFlight: IN_FLIGHT };
          const { sent, cpuMs } = await producer.call('send', { place, batch: BATCH, sending });
          const received = await consumer.call('receive', sent.orders);
          const elapsed = received.endedAt - sent.startedAt;
          return {
            value: (sent.orders / elapsed) * 1000,
            records: sent.orders,
            figures: {
              producerCpu: percent(cpuMs, sent.endedAt - sent.startedAt),
              consumerCpu: percent(received.cpuMs, elapsed),
              redisCpu: percent((await server.cpuMs()) - redisBefore, elapsed),
            },
          };
        },
      }),
  };
}
