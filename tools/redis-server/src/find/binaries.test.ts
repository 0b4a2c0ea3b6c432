import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakePrograms, fakePrograms } from '../test-support/fake-programs.ts';
import { pathPlace } from './binaries.ts';
import { inspect, Unusable, versionIn } from './binary.ts';

let fakes: FakePrograms;

beforeEach(async () => {
  fakes = await fakePrograms();
});

afterEach(() => fakes.remove());

const NOTHING = (): void => undefined;

describe('versions', () => {
  test.each([
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '', 'Redis 7.0.15', true],
    ['Redis server v=6.2.7 sha=00000000:0', '', 'Redis 6.2.7', false],
    ['Redis server v=10.0.0 sha=00000000:0', '', 'Redis 10.0.0', true],
    ['Valkey server v=8.1.1 sha=00000000:0', '', 'Valkey 8.1.1', true],
    ['Valkey server v=7.1.9 sha=00000000:0', '', 'Valkey 7.1.9', false],
    ['Server v=7.2.5 sha=00000000:0', '/opt/bin/valkey-server', 'Valkey 7.2.5', true],
  ])('%s', (printed, command, text, recent) => {
    expect(versionIn(printed, command)).toEqual({ text, recent });
  });

  test('anything else has none', () => {
    expect(versionIn('usage: redis-server [file]')).toBeUndefined();
  });
});

describe('a binary', () => {
  test.each([
    ['echo "Redis server v=6.0.16 sha=0"', 'is Redis 6.0.16; Redis 7.0 or Valkey 7.2 or newer is needed'],
    ['echo hello', 'is no Redis: it says "hello"'],
    ['echo "libfoo.so.1: cannot open" >&2; exit 127', 'does not run: '],
  ])('that says `%s` is not used', async (script, message) => {
    await fakes.program('redis-server', script);
    const inspected = inspect({ command: join(fakes.bin, 'redis-server'), env: {} });
    await expect(inspected).rejects.toThrow(Unusable);
    await expect(inspected).rejects.toThrow(message);
  });
});

describe('the PATH', () => {
  test('has nothing', async () => {
    expect(await pathPlace(fakes.bin).look(NOTHING)).toBeUndefined();
  });

  test('has a server, in the first directory that has one', async () => {
    await fakes.server('redis-server', 'Redis server v=7.4.1 sha=0');
    const path = [join(fakes.root, 'absent'), fakes.bin].join(delimiter);
    const program = await pathPlace(path).look(NOTHING);
    expect(program?.label).toBe(`Redis 7.4.1 from ${join(fakes.bin, 'redis-server')}`);
  });

  test('has an old Redis and a recent Valkey', async () => {
    await fakes.server('redis-server', 'Redis server v=6.2.7 sha=0');
    await fakes.server('valkey-server', 'Valkey server v=8.0.2 sha=0');
    const program = await pathPlace(fakes.bin).look(NOTHING);
    expect(program?.label).toBe(`Valkey 8.0.2 from ${join(fakes.bin, 'valkey-server')}`);
  });

  test('has only an old one, and why it is passed over is said', async () => {
    await fakes.server('redis-server', 'Redis server v=6.2.7 sha=0');
    await expect(pathPlace(fakes.bin).look(NOTHING)).rejects.toThrow('is Redis 6.2.7');
  });
});
