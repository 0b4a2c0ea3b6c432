import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { BATCH_DEFAULTS } from './consumer/options/batch.ts';
import { CONSUMER_DEFAULTS } from './consumer/options/consumer.ts';
import { SUBSCRIPTION_DEFAULTS } from './consumer/options/subscription.ts';
import { RETRY_DEFAULTS } from './consumer/retry/retry-policy.ts';

const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');

/** Option → default, as the first table below a heading has them. */
function optionsBelow(heading: string): Record<string, string> {
  const section = readme.slice(readme.indexOf(`\n### ${heading}\n`)).slice(1);
  const rows = section.slice(section.indexOf('\n|')).split('\n\n', 1)[0]?.trim().split('\n').slice(2) ?? [];
  return Object.fromEntries(
    rows.map((row) => {
      const [, option = '', value = ''] = row.split('|').map((cell) => cell.trim());
      return [option.replaceAll('`', ''), value];
    }),
  );
}

/** Defaults as the tables write them. */
function written(defaults: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(defaults).map(([option, value]) => [option, shown(value)]));
}

function shown(value: unknown): string {
  if (typeof value === 'number') {
    return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : value.toLocaleString('en-US');
  }
  const [, count, unit] = /^(\d+)(s|m)$/.exec(String(value)) ?? [];
  return count === undefined ? `\`'${String(value)}'\`` : `${count} ${unit === 'm' ? 'min' : 's'}`;
}

describe('the tables of options in README.md', () => {
  test('of a consumer', () => {
    const { closeTimeout: _, ...defaults } = CONSUMER_DEFAULTS;
    expect(optionsBelow('Options of a consumer')).toEqual({
      group: '–',
      name: "the host's name",
      ...written(defaults),
    });
  });

  test('of a subscription', () => {
    const { retry: _, ...defaults } = SUBSCRIPTION_DEFAULTS;
    expect(optionsBelow('Options of a subscription')).toEqual({
      ...written(defaults),
      retry: 'below',
      handlerTimeout: 'none',
      pin: 'none',
    });
  });

  test('of retries', () => {
    expect(optionsBelow('Retries')).toEqual({ ...written(RETRY_DEFAULTS), policy: '–' });
  });

  test('of batches, and of closing', () => {
    expect(readme).toContain(`with up to \`max\` (${BATCH_DEFAULTS.max}) messages`);
    expect(readme).toContain(`consumer.close({ timeout: '${CONSUMER_DEFAULTS.closeTimeout}' })`);
  });
});
