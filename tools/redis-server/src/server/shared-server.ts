import { floorText, versionIn } from '../find/binary.ts';
import { announce } from '../find/find-program.ts';
import { sendCommand } from './server.ts';
import type { RedisServer } from './standalone.ts';

/**
 * The server that `REDIS_URL` names. It is not ours to stop.
 *
 * @throws Error when it is no URL of a Redis, does not answer or is too old
 */
export async function sharedServer(text: string): Promise<RedisServer> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol)) {
    throw new Error('REDIS_URL must look like redis://[user:password@]host[:port]');
  }
  const host = url.hostname;
  const port = url.port === '' ? 6379 : Number(url.port);
  const info = await sendCommand(text, undefined, ['INFO', 'server']).catch((cause: unknown) => {
    throw new Error(`REDIS_URL names ${host}:${port}, which does not answer: ${String(cause)}`, { cause });
  });
  const version = versionOf(String(info));
  if (version?.recent !== true) {
    throw new Error(
      `REDIS_URL names ${host}:${port}, which is ${version?.text ?? 'no Redis'}; ${floorText()} is needed`,
    );
  }
  announce(`${version.text} at ${host}:${port}, from REDIS_URL`);
  const refuse = async (): Promise<never> => {
    throw new Error(
      'This is the server of REDIS_URL, which others use too: pass { own: true } to startRedis for one that may be killed, paused and restarted',
    );
  };
  return {
    url: text,
    host,
    port,
    stop: async () => undefined,
    kill: refuse,
    restart: refuse,
    pause: refuse,
    resume: refuse,
    cli: (...command) => sendCommand(text, undefined, command),
  };
}

/** A Valkey says so in `valkey_version`; its `redis_version` is the one it is compatible with. */
export function versionOf(info: string): ReturnType<typeof versionIn> {
  const field = (name: string): string | undefined => new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1];
  const valkey = field('valkey_version');
  return versionIn(
    valkey === undefined ? `Redis server v=${field('redis_version') ?? ''}` : `Valkey server v=${valkey}`,
  );
}
