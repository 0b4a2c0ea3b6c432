import { expect, test } from '@jest/globals';
import { PortTaken } from './machine.ts';
import { withFreePorts } from './ports.ts';

test('other ports are tried when one was taken', async () => {
  const tried: number[][] = [];
  const result = await withFreePorts(3, async (ports) => {
    tried.push(ports);
    if (tried.length < 4) throw new PortTaken('taken');
    return 'started';
  });
  expect(result).toBe('started');
  expect(tried).toHaveLength(4);
  expect(new Set(tried.map(String)).size).toBe(4);
  for (const ports of tried) expect(new Set(ports).size).toBe(3);
});

test('any other failure is final', async () => {
  let calls = 0;
  const starting = withFreePorts(1, async () => {
    calls += 1;
    throw new Error('broken');
  });
  await expect(starting).rejects.toThrow('broken');
  expect(calls).toBe(1);
});

test('it gives up when every port is taken', async () => {
  await expect(withFreePorts(1, () => Promise.reject(new PortTaken('taken')))).rejects.toThrow(PortTaken);
});
