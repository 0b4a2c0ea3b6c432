import { checkReplicas } from '../deliver/check-replicas.ts';
import { JobOutputs } from '../deliver/job-outputs.ts';
import { Replication } from '../deliver/replication.ts';
import type { MakeJobEngine } from '../job/job-engine.ts';
import { redisTaskLeases } from '../store/task-leases.ts';
import { Doorbells } from './doorbells.ts';
import { ReadAhead } from './read-ahead.ts';
import { taskEvents } from './task-events.ts';
import { RedisTaskRunner } from './task-runner.ts';

/** What works on the tasks of a job in one process, on Redis. @throws RsError for sinks that cannot be served; see {@link JobOutputs} */
export const createJobEngine: MakeJobEngine = ({ client, settings, topology }) => {
  const { logger, timers, random, ids, block, jobName } = settings;
  const name = `rs-${jobName}`;
  const replication =
    settings.deliverAfter === 'replicated'
      ? new Replication({ client, timers, random, ids, logger, name })
      : undefined;
  const outputs = new JobOutputs({ graph: topology.graph, client, settings, logger, replication });
  const doorbells = new Doorbells({ client, timers, logger, block, name });
  const host = {
    client,
    settings,
    doorbells,
    ahead: new ReadAhead(),
    busyTime: () => performance.eventLoopUtilization().active,
    outputs,
    events: taskEvents(logger),
  };
  return {
    leases: redisTaskLeases(client),
    makeRunner: (options) => new RedisTaskRunner(host, options),
    check: async () => {
      if (replication !== undefined) await checkReplicas(client);
      await outputs.check();
    },
    deafness: () => doorbells.failure,
    unreplicated: () => replication?.failure,
    close: async () => {
      doorbells.close();
      replication?.close();
      await outputs.close();
    },
  };
};
