import { describe, expect, test } from '@jest/globals';
import type { Program } from '../machine/machine.ts';
import { Unusable } from './binary.ts';
import { search } from './find-program.ts';
import type { Place } from './place.ts';

function program(label: string): Program {
  return { label, machine: () => Promise.reject(new Error('never started here')) };
}

function place(name: string, look: () => Promise<Program | undefined>): Place {
  return { advice: `use ${name}`, look };
}

describe('the search for a Redis', () => {
  test('takes the first place that has one, asks none after it and says so in one line', async () => {
    const asked: string[] = [];
    const said: string[] = [];
    const places = ['empty', 'good', 'later'].map((name) =>
      place(name, async () => {
        asked.push(name);
        return name === 'empty' ? undefined : program(`Redis 7.0.0 from ${name}`);
      }),
    );
    const found = await search(places, (line) => said.push(line));
    expect(found.label).toBe('Redis 7.0.0 from good');
    expect(asked).toEqual(['empty', 'good']);
    expect(said).toEqual(['Redis 7.0.0 from good']);
  });

  test('passes over what cannot be used, with a word about why', async () => {
    const said: string[] = [];
    const places = [
      place('old', () => Promise.reject(new Unusable('/usr/bin/redis-server is Redis 6.0.16'))),
      place('good', async () => program('Redis 7.0.0 from good')),
    ];
    await search(places, (line) => said.push(line));
    expect(said).toEqual(['Redis 7.0.0 from good; passed over: /usr/bin/redis-server is Redis 6.0.16']);
  });

  test('fails with all ways to get one, and with what was tried', async () => {
    const places = [
      place('the PATH', () => Promise.reject(new Unusable('/usr/bin/redis-server is Redis 6.0.16'))),
      { look: async () => undefined },
      place('Docker', async () => undefined),
    ];
    await expect(search(places, () => undefined)).rejects.toThrow(
      [
        'No Redis found, and none could be fetched; Redis 7.0 or Valkey 7.2 or newer is needed. Any of these helps:',
        '  - set REDIS_URL to a running server',
        '  - use the PATH',
        '  - use Docker',
        'What was tried:',
        '  - /usr/bin/redis-server is Redis 6.0.16',
      ].join('\n'),
    );
  });
});
