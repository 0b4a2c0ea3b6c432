import { Collector } from '../../collector.ts';
import type { Driver } from '../../driver.ts';
import type { RedisBench } from './bench.ts';
import { lateRecords, slotSinks } from './results.ts';
import { startJob } from './start-job.ts';
import { staysInPartitions } from './supported.ts';

/** The Redis engine with commits of so many records, into sinks that are part of the commits. */
export function redis(records: number, bench: RedisBench): Driver {
  return {
    name: `redis ${records}`,
    supports: staysInPartitions,
    async run(variant, signal) {
      const run = await bench.prepare(variant);
      const sinks = new Set<string>();
      await using client = await startJob(variant, run, slotSinks(sinks), { batch: { records } });
      await client.awaitTermination({ signal });
      return { sinks: await run.results(sinks), late: lateRecords([client.diagnostics()]) };
    },
  };
}

/** The same into functions, which get results after they were committed. */
export function redisToFunctions(records: number, bench: RedisBench): Driver {
  return {
    name: `redis ${records}`,
    supports: staysInPartitions,
    async run(variant, signal) {
      const run = await bench.prepare(variant);
      const collector = new Collector();
      await using client = await startJob(variant, run, collector.sinkTo(), { batch: { records } });
      await client.awaitTermination({ signal });
      return { sinks: collector.sinks, late: lateRecords([client.diagnostics()]) };
    },
  };
}
