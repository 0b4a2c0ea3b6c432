import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { partitionOf } from '@rs/core';
import { eventually } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';
import { loadFlights } from './flights.ts';
import { type BatchAlert, batchAlerts } from './test-support/batch.ts';

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

/** Starts the demo as `npm run demo` does, with pipes in the place of a terminal. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Demo {
  const child = spawn(process.execPath, [...ARGUMENTS, ...args], {
    env: { ...process.env, FORCE_COLOR: undefined, REDIS_URL: redis().url, ...env },
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

async function inMemory(...args: string[]): Promise<string> {
  const { code, stdout } = await start(args).ended;
  expect(code).toBe(0);
  return stdout;
}

async function nobodyIsConnected(): Promise<void> {
  await eventually('all connections to end', async () => {
    const list = String(await redis().cli('CLIENT', 'LIST'));
    return list.split('\n').every((line) => line === '' || line.includes('cmd=client|list'))
      ? true
      : undefined;
  });
}

async function nothingIsLeft(): Promise<void> {
  await nobodyIsConnected();
  expect(await redis().cli('DBSIZE')).toBe(0);
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

describe('the demo on Redis', () => {
  test.each([
    [[]],
    [['--window', '1h', '--out-of-orderness', '0']],
    [['--window', '3h', '--slide', '2h', '--out-of-orderness', '30m']],
    [['--session', '20m', '--out-of-orderness', '30m']],
    [['--partitions', '4', '--session', '1h']],
    [['--alerts', '--session', '1h', '--out-of-orderness', '1h']],
    [['--alerts', '--partitions', '4']],
    [['--limit', '1']],
  ])(
    'prints what it prints in memory: %j',
    async (args) => {
      const { code, stdout, stderr } = await start(['--engine', 'redis', '--json', ...args]).ended;
      expect(stderr).toMatch(/^redis-server: [^\n]*\n$/);
      expect(code).toBe(0);
      expect(stdout).toBe(await inMemory('--json', ...args));
      await nothingIsLeft();
    },
    TIMEOUT_MS,
  );

  test.each([
    [['--limit', '6000', '--session', '1h', '--out-of-orderness', '30m'], 1],
    [['--limit', '6000', '--partitions', '3'], 2_500],
    [['--limit', '6000', '--alerts', '--out-of-orderness', '2h'], 3_000],
    // All of them: it is killed when there is nothing left to do.
    [['--limit', '3000', '--window', '6h', '--out-of-orderness', '0'], 3_000],
  ])(
    'prints the same when its job is killed: %j --crash-after %i',
    async (args, crashAfter) => {
      const crashing = ['--engine', 'redis', '--json', '--crash-after', String(crashAfter), ...args];
      const { code, stdout, stderr } = await start(crashing).ended;
      const [, committed = ''] =
        /^killed when ([\d,]+) flights? were committed; started again$/m.exec(stderr) ?? [];
      expect(Number(committed.replace(',', ''))).toBeGreaterThanOrEqual(crashAfter);
      expect(code).toBe(0);
      expect(stdout).toBe(await inMemory('--json', ...args));
      await nothingIsLeft();
    },
    TIMEOUT_MS,
  );

  test(
    'finds the alerts that a batch computation finds, each partition with a clock of its own, also when its job is killed',
    async () => {
      const [limit, partitions, minutes] = [8_000, 3, 45];
      const { code, stdout } = await start([
        ...['--engine', 'redis', '--json', '--alerts', '--crash-after', '3000'],
        ...['--limit', String(limit), '--partitions', String(partitions)],
        ...['--out-of-orderness', `${minutes}m`],
      ]).ended;
      expect(code).toBe(0);
      const flights = (await loadFlights()).slice(0, limit);
      const expected = Array.from({ length: partitions }, (_, partition) => {
        const own = flights.filter(({ origin }) => partitionOf(origin, partitions) === partition);
        return batchAlerts(own, minutes * 60_000);
      }).flat();
      const { alerts } = JSON.parse(stdout) as { alerts: BatchAlert[] };
      expect(alerts).toEqual(
        expected.sort((a, b) => (a.origin < b.origin ? -1 : Number(a.origin > b.origin))),
      );
      expect(alerts.length).toBeGreaterThan(0);
      await nothingIsLeft();
    },
    TIMEOUT_MS,
  );

  test(
    'prints the same table, without colours in a pipe',
    async () => {
      const { code, stdout } = await start(['--engine', 'redis', '--alerts', '--limit', '2000'], { CI: '1' })
        .ended;
      expect(code).toBe(0);
      expect(stdout).toContain('2,000 flights read');
      expect(stdout).toBe(await inMemory('--alerts', '--limit', '2000'));
      expect(stdout).not.toContain('\u001b');
    },
    TIMEOUT_MS,
  );

  test(
    'SIGINT ends everything, and leaves nothing behind',
    async () => {
      const demo = start(['--engine', 'redis', '--json', '--window', '1d', '--slide', '10m']);
      await eventually('the job to be at work', async () =>
        String(await redis().cli('KEYS', 'flights-*:t:delays:*:meta')) === '' ? undefined : true,
      );
      demo.child.kill('SIGINT');
      const { code, stdout, stderr } = await demo.ended;
      expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
      expect(stderr).toMatch(/\ninterrupted\n$/);
      await nothingIsLeft();
    },
    TIMEOUT_MS,
  );

  test(
    'its process ends with it, also when it is killed',
    async () => {
      const demo = start(['--engine', 'redis', '--json', '--window', '1d', '--slide', '10m']);
      await eventually('the job to be at work', async () =>
        String(await redis().cli('KEYS', 'flights-*:t:delays:*:meta')) === '' ? undefined : true,
      );
      demo.child.kill('SIGKILL');
      await demo.ended;
      await nobodyIsConnected();
      await redis().cli('FLUSHALL');
    },
    TIMEOUT_MS,
  );

  test(
    'a Redis that is not there is one line on stderr and exit code 1',
    async () => {
      const { code, stdout, stderr } = await start(['--engine', 'redis'], {
        REDIS_URL: 'redis://127.0.0.1:1',
      }).ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^error: REDIS_URL names 127\.0\.0\.1:1, which does not answer: .*\n$/);
    },
    TIMEOUT_MS,
  );

  test(
    'a crash that would never come is one line on stderr and exit code 2',
    async () => {
      const args = ['--engine', 'redis', '--crash-after', '11', '--limit', '10'];
      const { code, stdout, stderr } = await start(args).ended;
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toBe('error: --crash-after 11 is more than there are flights: 10\n');
    },
    TIMEOUT_MS,
  );
});
