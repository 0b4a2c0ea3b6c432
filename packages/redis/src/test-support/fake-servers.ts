import type { MasterHandle, RedisClient } from '../client/client.ts';
import type { RedisReply } from '../driver/driver.ts';
import { replyError } from '../driver/reply-error.ts';
import type { RsError } from '@rs/core';

export interface FakeServer {
  readonly info?: Readonly<Record<string, string | number>>;
  /** CONFIG GET; undefined: forbidden. */
  readonly config?: Readonly<Record<string, string>> | undefined;
  readonly commands?: readonly string[] | undefined;
  readonly time?: readonly [string, string];
  /** What every command is rejected with. */
  readonly failure?: RsError;
}

/** A sound Redis 7.0 with AOF. */
export const SOUND = {
  redis_version: '7.0.15',
  redis_mode: 'standalone',
  cluster_enabled: 0,
  role: 'master',
  connected_slaves: 0,
  aof_enabled: 1,
  aof_last_write_status: 'ok',
  rdb_last_bgsave_status: 'ok',
  used_memory: 10 * 1024 * 1024,
  maxmemory: 100 * 1024 * 1024,
  maxmemory_policy: 'noeviction',
} as const;

/** A client whose masters only answer what startup checks ask. */
export function clientOf(
  servers: readonly FakeServer[],
  topology: RedisClient['topology'] = 'single',
): Pick<RedisClient, 'topology' | 'masters'> & RedisClient {
  const unused = (): never => {
    throw new Error('startup checks ask masters only');
  };
  return {
    topology,
    run: unused,
    command: unused,
    dedicated: unused,
    masters: async () => servers.map((server, i) => handleOf(server, 7000 + i)),
    waiting: () => undefined,
    close: async () => undefined,
  };
}

function handleOf(server: FakeServer, port: number): MasterHandle {
  return {
    node: { host: '10.0.0.1', port },
    command: async ({ name, args }) => {
      if (server.failure !== undefined) throw server.failure;
      const reply = answer(server, name, args.map(String));
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
}

function answer(server: FakeServer, name: string, args: readonly string[]): RedisReply {
  switch (name) {
    case 'INFO':
      return Object.entries(server.info ?? SOUND)
        .map(([field, value]) => `${field}:${value}\r\n`)
        .join('');
    case 'TIME':
      return server.time ?? ['1700000000', '0'];
    case 'PING':
      return 'PONG';
    case 'CONFIG': {
      const value = server.config?.[args[1] ?? ''];
      if (server.config === undefined) return replyError("ERR unknown command 'CONFIG'");
      return value === undefined ? [] : [args[1] ?? '', value];
    }
    case 'COMMAND':
      if (server.commands === undefined) return replyError('NOPERM no COMMAND for you');
      return args
        .slice(1)
        .map((command) => (server.commands?.includes(command) === true ? [command, 2] : null));
    default:
      return replyError(`ERR unexpected ${name}`);
  }
}
