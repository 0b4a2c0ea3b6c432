import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { thirdPartyOf } from './third-party.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'third-party-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A package at a place of the workspace, with its dependencies. */
function put(place: string, dependencies: readonly string[] = [], optional: readonly string[] = []): string {
  const folder = join(root, place);
  mkdirSync(folder, { recursive: true });
  const section = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1']));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      dependencies: section(dependencies),
      optionalDependencies: section(optional),
      peerDependencies: section(optional),
    }),
  );
  return folder;
}

describe('thirdPartyOf', () => {
  test('finds what packages need, what that needs, and what is wanted besides', () => {
    const mq = put('packages/mq', ['@rs/core', 'pack'], ['extra']);
    put('node_modules/pack', ['bytes'], ['native']);
    put('node_modules/bytes', ['pack']);
    put('node_modules/client');
    expect(thirdPartyOf([mq], ['client'])).toEqual(
      ['pack', 'bytes', 'client'].map((name) => ({ name, folder: join(root, 'node_modules', name) })),
    );
  });

  test('a nearer copy comes first, and a second one of another place is refused', () => {
    const mq = put('packages/mq', ['pack']);
    put('packages/mq/node_modules/pack');
    put('node_modules/pack');
    expect(thirdPartyOf([mq])).toEqual([{ name: 'pack', folder: join(mq, 'node_modules/pack') }]);
    const redis = put('packages/redis', ['pack']);
    expect(() => thirdPartyOf([mq, redis])).toThrow(/^pack is needed in two versions/);
  });

  test('what is not installed is named', () => {
    expect(() => thirdPartyOf([put('packages/mq', ['pack'])])).toThrow(
      /^pack, which .*mq needs, is not installed$/,
    );
  });
});
