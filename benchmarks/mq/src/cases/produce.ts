import { type Case, cpuFigure, percent, type Sample } from '@rs/bench-harness';
import type { Server } from '@rs/bench-harness/redis';
import type { Place } from '../ways/way.ts';
import { type Entrant, type MqWorker, openCase, type Setting } from './setting.ts';

const PARTITIONS = 8;
const MILLIS = 1_500;
const FIGURES = { clientCpu: cpuFigure('client'), redisCpu: cpuFigure('Redis') };

/** Batches of 256, several of them unconfirmed at a time. */
export function produceBatches(setting: Setting): Case {
  return produce(setting, 'produce, batches', { batch: 256, inFlight: 8 }, [
    { name: '@rs', role: 'ours', way: 'rs' },
    { name: 'limit', role: 'limit', way: 'script' },
    { name: 'ioredis pipelines', role: 'peer', way: 'pipelines' },
    { name: 'bullmq', role: 'peer', way: 'bullmq' },
  ]);
}

/** Single sends, 10,000 of them unconfirmed at a time. */
export function produceSingly(setting: Setting): Case {
  return produce(setting, 'produce, send()', { batch: 1, inFlight: 10_000 }, [
    { name: '@rs', role: 'ours', way: 'rs' },
    { name: 'limit', role: 'limit', way: 'script' },
    { name: 'ioredis autopipelining', role: 'peer', way: 'autoPipelining' },
  ]);
}

interface Load {
  readonly batch: number;
  readonly inFlight: number;
}

function produce(setting: Setting, name: string, load: Load, entrants: readonly Entrant[]): Case {
  return {
    name,
    unit: 'records/s',
    figures: FIGURES,
    open: () =>
      openCase(setting, entrants, {
        partitions: PARTITIONS,
        processes: 1,
        run: ([worker], place) => run(setting.server, worker, place, load),
      }),
  };
}

async function run(server: Server, worker: MqWorker | undefined, place: Place, load: Load): Promise<Sample> {
  if (worker === undefined) throw new Error('a process is needed');
  const { batch, inFlight } = load;
  await worker.call('prepare', place);
  const redisBefore = await server.cpuMs();
  const sending = { until: { millis: MILLIS }, inFlight };
  const { sent, cpuMs } = await worker.call('send', { place, batch, sending });
  const redisCpuMs = (await server.cpuMs()) - redisBefore;
  const stored = await worker.call('stored', place);
  if (stored !== sent.orders) throw new Error(`${sent.orders} orders were sent and Redis has ${stored}`);
  const elapsed = sent.endedAt - sent.startedAt;
  return {
    value: (sent.orders / elapsed) * 1000,
    records: sent.orders,
    figures: { clientCpu: percent(cpuMs, elapsed), redisCpu: percent(redisCpuMs, elapsed) },
  };
}
