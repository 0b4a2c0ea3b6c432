import { RsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';

/**
 * Looks whether every master has a replica, and may be asked for what it has, before a job begins that delivers nothing without one.
 *
 * @throws RsError `RS_REDIS_CONFIG` with the masters that have none; `RS_REDIS_AUTH` when `INFO` or `WAIT` is forbidden; as `RedisClient.command`
 */
export async function checkReplicas(client: Pick<RedisClient, 'masters'>): Promise<void> {
  const masters = await client.masters();
  const found = await Promise.all(
    masters.map(async (master) => {
      // Whether it is allowed; nobody is waited for.
      await master.command({ name: 'WAIT', args: [0, 0] });
      const info = String(await master.command({ name: 'INFO', args: ['replication'] }));
      const replicas = Number(/^connected_slaves:(\d+)/m.exec(info)?.[1] ?? '0');
      const { host, port } = master.node;
      return { subject: `${host}:${port}`, replicas };
    }),
  );
  const alone = found.filter(({ replicas }) => replicas === 0).map(({ subject }) => subject);
  if (alone.length === 0) return;
  const message = 'it has no replica that is connected';
  const advice =
    "connect one, or start the job with deliverAfter: 'commit', which delivers what a failover may take back";
  throw new RsError(
    'RS_REDIS_CONFIG',
    `Redis ${alone.join(', ')}: ${message}, and with deliverAfter: 'replicated' no result leaves before a replica has it; ${advice}`,
    {
      details: {
        findings: alone.map((subject) => ({ level: 'error', code: 'replication', subject, message, advice })),
      },
    },
  );
}
