import { describe, expect, test } from '@jest/globals';
import { consoleLogger, StreamExecutionEnvironment } from './index.ts';

function logger() {
  const written: string[] = [];
  return { written, logger: consoleLogger((text) => void written.push(text)) };
}

describe('consoleLogger', () => {
  test('writes what print says as it is, and no other information', () => {
    const { written, logger: log } = logger();
    StreamExecutionEnvironment.getExecutionEnvironment({ logger: log })
      .fromElements<unknown>('a', 1)
      .print('> ');
    log.info({ component: 'runtime' }, 'not shown');
    log.debug({ component: 'print' }, 'not shown');
    expect(written).toEqual(['> a\n', '> 1\n']);
  });

  test('writes warnings and errors with their level and cause', () => {
    const { written, logger: log } = logger();
    log.warn({ operator: 'sink', error: new Error('busy') }, 'sink failed to close');
    log.error({}, 'gone');
    log.warn({ error: 'no Error' }, 'odd');
    expect(written).toEqual(['WARN sink failed to close: busy\n', 'ERROR gone\n', 'WARN odd\n']);
  });

  test('shows the facts where there is no message, also those that JSON cannot show', () => {
    const { written, logger: log } = logger();
    const cycle: Record<string, unknown> = { operator: 'map' };
    cycle['self'] = cycle;
    log.warn({ operator: 'map' });
    log.warn(cycle);
    log.warn({ big: 1n });
    expect(written[0]).toBe('WARN {"operator":"map"}\n');
    expect(written.slice(1)).toEqual([expect.stringContaining('map'), expect.stringContaining('1n')]);
    for (const line of written) expect(line).toMatch(/^WARN .*\n$/s);
  });
});
