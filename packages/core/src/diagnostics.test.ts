import { expect, test } from '@jest/globals';
import { DIAGNOSTICS_CHANNELS } from './diagnostics.ts';

test('channel names are distinct and start with rs:', () => {
  const names = Object.values(DIAGNOSTICS_CHANNELS);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^rs:[a-z]+:[a-z]+$/);
});
