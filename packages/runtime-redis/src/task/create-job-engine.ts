import { JobOutputs } from '../deliver/job-outputs.ts';
import type { MakeJobEngine } from '../job/job-engine.ts';
import { redisTaskLeases } from '../store/task-leases.ts';
import { Doorbells } from './doorbells.ts';
import { taskEvents } from './task-events.ts';
import { RedisTaskRunner } from './task-runner.ts';

/** What works on the tasks of a job in one process, on Redis. @throws RsError for sinks that cannot be served; see {@link JobOutputs} */
export const createJobEngine: MakeJobEngine = ({ client, settings, topology }) => {
  const { logger, timers, block, jobName } = settings;
  const outputs = new JobOutputs({ graph: topology.graph, client, settings, logger });
  const doorbells = new Doorbells({ client, timers, logger, block, name: `rs-${jobName}` });
  const host = { client, settings, doorbells, outputs, events: taskEvents(logger) };
  return {
    leases: redisTaskLeases(client),
    makeRunner: (options) => new RedisTaskRunner(host, options),
    check: () => outputs.check(),
    deafness: () => doorbells.failure,
    close: async () => {
      doorbells.close();
      await outputs.close();
    },
  };
};
