import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakePrograms, fakePrograms } from '../test-support/fake-programs.ts';
import { type Container, containerMachine } from './container-machine.ts';
import { PortTaken } from './machine.ts';

let fakes: FakePrograms;
let stopped: number;

/** A container whose inside is this machine. */
const container: Container = {
  getHost: () => 'localhost',
  copyContentToContainer: async (contents) => {
    for (const { content, target } of contents) await writeFile(target, content);
  },
  exec: ([command = '', ...args]) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        env: process.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk;
        });
      }
      child.once('error', reject);
      child.once('close', (code) => {
        resolve({ output, exitCode: code ?? 1 });
      });
    }),
  stop: async () => {
    stopped += 1;
  },
};

beforeEach(async () => {
  fakes = await fakePrograms();
  fakes.first();
  stopped = 0;
});

afterEach(() => fakes.remove());

describe('servers in a container', () => {
  test('start in their directory, end when they are told to, and start again with what they kept', async () => {
    await fakes.program(
      'redis-server',
      'cat "$1" >>kept; echo "Ready to accept connections"; exec sleep 1000',
    );
    const machine = containerMachine(container, fakes.root);
    expect(machine.host).toBe('127.0.0.1');
    const directory = await machine.directory({ 'redis.conf': 'port 1\n' });
    const first = await machine.start(directory, ['redis.conf']);
    await first.signal('SIGSTOP');
    await first.end('SIGKILL');
    await first.end('SIGKILL');
    const second = await machine.start(directory, ['redis.conf']);
    await second.end('SIGTERM');
    expect((await container.exec(['cat', join(directory, 'kept')])).output).toBe('port 1\nport 1\n');
    await machine.close();
    expect(stopped).toBe(1);
  });

  test.each([
    ['*** FATAL: bad directive', false],
    ['bind: Address already in use', true],
  ])('that end with `%s` did not start', async (words, taken) => {
    await fakes.program('redis-server', `echo "${words}"; exit 1`);
    const machine = containerMachine(container, fakes.root);
    const failure: unknown = await machine.start(await machine.directory({}), ['redis.conf']).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(failure)).toContain(words);
    expect(failure instanceof PortTaken).toBe(taken);
  });
});
