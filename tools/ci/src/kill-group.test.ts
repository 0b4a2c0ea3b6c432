import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { killGroup } from './kill-group.ts';

const start = (code: string) => spawn(process.execPath, ['-e', code], { detached: true, stdio: 'ignore' });

test('a group gets the signal', async () => {
  const child = start('setInterval(() => undefined, 1000)');
  await once(child, 'spawn');
  killGroup(Number(child.pid), 'SIGKILL');
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
});

test('a group that has ended already is left alone', async () => {
  const child = start('');
  await once(child, 'close');
  expect(() => killGroup(Number(child.pid), 'SIGKILL')).not.toThrow();
});
