import { type Case, cpuFigure, now, percent } from '@rs/bench-harness';
import { type Entrant, openCase, type Setting } from './setting.ts';

const PARTITIONS = 8;
/** How long the backlog is written: so the faster ones have more to read. */
const SEND_MS = 1_000;

const ENTRANTS: readonly Entrant[] = [
  { name: '@rs', role: 'ours', way: 'rs' },
  { name: 'limit', role: 'limit', way: 'script' },
  { name: 'bullmq', role: 'peer', way: 'bullmq' },
  { name: '@rs, async handler', role: 'aside', way: 'rsAsync' },
];

/** One process handles a backlog that another one has written; timed from opening the consumer to the last acknowledgement. */
export function consumeAndAck(setting: Setting): Case {
  const { server } = setting;
  return {
    name: 'consume and ack',
    unit: 'records/s',
    figures: { clientCpu: cpuFigure('client'), redisCpu: cpuFigure('Redis') },
    open: () =>
      openCase(setting, ENTRANTS, {
        partitions: PARTITIONS,
        processes: 2,
        run: async ([producer, consumer], place) => {
          if (producer === undefined || consumer === undefined) throw new Error('two processes are needed');
          await producer.call('prepare', place);
          const sending = { until: { millis: SEND_MS }, inFlight: 8 };
          const { sent } = await producer.call('send', { place, batch: 256, sending });
          const redisBefore = await server.cpuMs();
          const startedAt = now();
          await consumer.call('openReceiver', { place, timed: false });
          const { endedAt, cpuMs } = await consumer.call('receive', sent.orders);
          const elapsed = endedAt - startedAt;
          return {
            value: (sent.orders / elapsed) * 1000,
            records: sent.orders,
            figures: {
              clientCpu: percent(cpuMs, elapsed),
              redisCpu: percent((await server.cpuMs()) - redisBefore, elapsed),
            },
          };
        },
      }),
  };
}
