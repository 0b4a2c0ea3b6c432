import type { RedisClient } from '@rs/redis';
import { TaskKeys } from '../keys/task-keys.ts';
import { renewTasks } from '../lua/scripts.generated.ts';
import type { TaskLeases } from '../ownership/task-leases.ts';
import { acquireTask } from './acquire-task.ts';
import { list } from './replies.ts';
import { TaskStore } from './task-store.ts';

/** The leases of tasks, as Redis keeps them. */
export function redisTaskLeases(client: RedisClient): TaskLeases {
  return {
    acquire: (place, options) => acquireTask(client, place, options),
    release: ({ place, token }) => new TaskStore({ client, place, token }).release(),
    renew: async (leases, ttl, timeout) => {
      const call = renewTasks({
        keys: { leases: leases.map(({ place }) => new TaskKeys(place).own) },
        args: { ttl, tokens: leases.map(({ token }) => token) },
      });
      return list(await client.run(call, { timeout })).map((answer) => answer === 1);
    },
  };
}
