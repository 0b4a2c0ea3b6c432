import { afterEach, expect, jest, test } from '@jest/globals';
import { silentLogger } from './logger.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('silentLogger takes every level and writes nothing', () => {
  const writes = [
    jest.spyOn(process.stdout, 'write').mockReturnValue(true),
    jest.spyOn(process.stderr, 'write').mockReturnValue(true),
  ];
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    silentLogger[level]({ job: 'x' }, 'message');
  for (const write of writes) expect(write).not.toHaveBeenCalled();
});
