import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';

const TIMEOUT_MS = 120_000;
const ARGUMENTS = ['--conditions=@rs/source', '--import', 'tsx', join(__dirname, 'main.ts')];

// Its own: the tests look at who is connected, and whether keys are left.
const redis = useRedis({ own: true });

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Demo {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

const started: ChildProcess[] = [];

/** Starts the demo as `npm run demo:mq` does, with pipes in the place of a terminal. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Demo {
  const child = spawn(process.execPath, [...ARGUMENTS, ...args], {
    env: { ...process.env, FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const read = async (): Promise<Ended> => {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  };
  return { child, ended: read() };
}

/** Names of the connections that there are, besides the one that asks. */
async function connections(): Promise<string[]> {
  const list = String(await redis().cli('CLIENT', 'LIST'));
  return list.split('\n').filter((line) => line !== '' && !line.includes('cmd=client|list'));
}

async function nobodyIsConnected(): Promise<void> {
  await eventually('all connections to end', async () =>
    (await connections()).length === 0 ? true : undefined,
  );
}

/** Every process of the demo is at work. */
async function atWork({ ended }: Demo): Promise<void> {
  const over = ended.then(({ code, stderr }): never => {
    throw new Error(`the demo ended before (${code}): ${stderr}`);
  });
  const works = eventually(
    'orders to be handled',
    async () => (String(await redis().cli('KEYS', 'shop-*:{books}:entries')) === '' ? undefined : true),
    { timeout: TIMEOUT_MS / 2 },
  );
  await Promise.race([works, over]);
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

describe('the demo as a process', () => {
  test(
    '--json prints one document whose counts add up, though a worker was killed',
    async () => {
      const { code, stdout, stderr } = await start([
        ...['--json', '--orders', '1200', '--partitions', '4'],
        ...['--redis', redis().url],
      ]).ended;
      expect(stderr).toMatch(/^killed worker-[12], which had partitions? .*; started worker-3$/m);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const result = JSON.parse(stdout) as Record<string, number>;
      expect(Object.keys(result)).toEqual(['sent', 'handled', 'duplicates', 'deadLetters', 'seconds']);
      const { sent, handled = 0, duplicates, deadLetters = 0, seconds } = result;
      expect(sent).toBe(1_200);
      expect(handled + deadLetters).toBe(1_200);
      // Two from the old shop, and the refused cards.
      expect(deadLetters).toBeGreaterThan(2);
      expect(duplicates).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeGreaterThan(0);
      await nobodyIsConnected();
      expect(await redis().cli('DBSIZE')).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    'without --redis it finds one; with one worker, the one after it goes on; the text says what happened',
    async () => {
      const { code, stdout, stderr } = await start(
        ['--orders', '400', '--partitions', '2', '--workers', '1'],
        {
          REDIS_URL: redis().url,
          CI: '1',
        },
      ).ended;
      expect(stderr).toMatch(/^killed worker-1, which had partitions 0 and 1; started worker-2$/m);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^400 orders through a topic of 2 partitions in/);
      expect(stdout).toMatch(/^worker-1 was killed when \d+ were done\. .* worker-2 went on there within/m);
      expect(stdout).toMatch(/│ undecodable +│/);
      expect(stdout).not.toContain('\u001b');
    },
    TIMEOUT_MS,
  );

  test.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])(
    '%s ends everything, and leaves nothing behind',
    async (signal, exitCode) => {
      const demo = start(['--orders', '100000', '--json', '--redis', redis().url]);
      await atWork(demo);
      demo.child.kill(signal);
      const { code, stdout, stderr } = await demo.ended;
      expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
      expect(stderr).toMatch(/interrupted\n$/);
      await nobodyIsConnected();
      expect(await redis().cli('DBSIZE')).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    'its processes end with it, also when it is killed',
    async () => {
      const demo = start(['--orders', '100000', '--redis', redis().url]);
      await atWork(demo);
      demo.child.kill('SIGKILL');
      await demo.ended;
      await nobodyIsConnected();
      await redis().cli('FLUSHALL');
    },
    TIMEOUT_MS,
  );

  test.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
    [
      '--redis',
      ['--redis', 'redis://127.0.0.1:1'],
      {},
      /^error: no connection to the Redis at 127\.0\.0\.1:1: .*\n$/,
    ],
    [
      'REDIS_URL',
      [],
      { REDIS_URL: 'redis://127.0.0.1:1' },
      /^error: REDIS_URL names 127\.0\.0\.1:1, which does not answer: .*\n$/,
    ],
  ])(
    'a Redis of %s that is not there is said on stderr, with exit code 1',
    async (_, args, env, message) => {
      const { code, stdout, stderr } = await start(args, env).ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(message);
    },
    TIMEOUT_MS,
  );

  test(
    'a wrong option is one line on stderr and exit code 2',
    async () => {
      const { code, stdout, stderr } = await start(['--orders', 'many']).ended;
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: [^\n]+\n$/);
    },
    TIMEOUT_MS,
  );
});
