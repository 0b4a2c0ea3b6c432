import { type Case, type Figure, median } from '@rs/bench-harness';
import { percentile } from '../load/percentile.ts';
import { type Entrant, openCase, type Setting } from './setting.ts';

const PARTITIONS = 8;
const PER_SECOND = 2_000;
const MILLIS = 2_000;

const ENTRANTS: readonly Entrant[] = [
  { name: '@rs', role: 'ours', way: 'rs' },
  { name: 'limit', role: 'limit', way: 'pipelines' },
];

const millis = (name: string): Figure => ({ of: median, digits: 3, text: (ms) => `${name} ${ms} ms` });

/** From the call of `send` in one process to the call of the handler in another, while single orders come at a steady pace. */
export function latency(setting: Setting): Case {
  return {
    name: 'latency at 2,000/s',
    unit: 'ms',
    figures: { p50Ms: millis('p50'), p99Ms: millis('p99') },
    open: () =>
      openCase(setting, ENTRANTS, {
        partitions: PARTITIONS,
        processes: 2,
        run: async ([producer, consumer], place) => {
          if (producer === undefined || consumer === undefined) throw new Error('two processes are needed');
          await producer.call('prepare', place);
          await consumer.call('openReceiver', { place, timed: true });
          const sentAt = await producer.call('sendPaced', {
            place,
            perSecond: PER_SECOND,
            millis: MILLIS,
          });
          const deliveredAt = await consumer.call('receiveTimed', sentAt.length);
          const took = sentAt.map((sent, index) => (deliveredAt[index] ?? NaN) - sent);
          const p50Ms = percentile(took, 0.5);
          return { value: p50Ms, records: took.length, figures: { p50Ms, p99Ms: percentile(took, 0.99) } };
        },
      }),
  };
}
