import { expect, test } from '@jest/globals';
import { consoleLogger } from './console-logger.ts';

test('writes what print says, warnings and errors, and nothing else', () => {
  const written: string[] = [];
  const logger = consoleLogger((text) => void written.push(text));
  logger.debug({ component: 'print' }, 'not shown');
  logger.info({ component: 'runtime' }, 'not shown');
  logger.info({ component: 'print' }, '> a');
  logger.warn({ error: new Error('busy') }, 'sink failed to close');
  logger.error({ operator: 'map' });
  expect(written).toEqual(['> a\n', 'WARN sink failed to close: busy\n', 'ERROR {"operator":"map"}\n']);
});
