import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { localMachine } from './local-machine.ts';
import { type Machine, PortTaken } from './machine.ts';

let machine: Machine;

beforeEach(async () => {
  machine = await localMachine({ command: '/bin/sh', env: { GREETING: 'Ready to accept connections' } });
});

afterEach(() => machine.close());

async function start(script: string): ReturnType<Machine['start']> {
  return machine.start(await machine.directory({ 'server.sh': script }), ['server.sh']);
}

describe('a directory', () => {
  test('holds its files, which nobody else may read, until the machine is closed', async () => {
    const one = await machine.directory({ a: 'text' });
    const two = await machine.directory({ a: 'other' });
    expect(one).not.toBe(two);
    expect((await stat(join(one, 'a'))).mode & 0o777).toBe(0o600);
    await machine.close();
    await machine.close();
    expect(existsSync(join(one, '..'))).toBe(false);
  });
});

describe('a server', () => {
  test('runs in its directory with the environment it needs, and ends when it is told to', async () => {
    const directory = await machine.directory({
      'server.sh': 'pwd >here; echo "$GREETING"; exec sleep 1000',
    });
    const server = await machine.start(directory, ['server.sh']);
    expect((await readFile(join(directory, 'here'), 'utf8')).trim()).toBe(await realpath(directory));
    await server.end('SIGKILL');
    await server.end('SIGKILL');
    await server.signal('SIGCONT');
  });

  test('that ends before it is ready did not start; its words are in the error', async () => {
    const starting = start('echo "*** FATAL: bad directive" >&2; exit 1');
    await expect(starting).rejects.toThrow('*** FATAL: bad directive');
    await expect(starting).rejects.not.toThrow(PortTaken);
  });

  test('that finds its port taken is told apart', async () => {
    const starting = start('echo "Failed listening on port 1 (bind: Address already in use)"; exit 1');
    await expect(starting).rejects.toThrow(PortTaken);
  });
});
