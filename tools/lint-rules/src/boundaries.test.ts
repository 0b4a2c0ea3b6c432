import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { NEVER_REACHES, PUBLISHED, depConstraints, reachable, type DepConstraint } from './boundaries.ts';

const WORKSPACE = join(__dirname, '../../..');

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly nx?: { readonly tags?: readonly string[] };
}

function manifestsOf(folder: string): (Manifest & { readonly folder: string })[] {
  const root = join(WORKSPACE, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => existsSync(join(root, name, 'package.json')))
    .map((name) => ({
      folder: name,
      ...(JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as Manifest),
    }));
}

function constraintOf(sourceTag: string, files: 'production' | 'tests' = 'production'): DepConstraint {
  const found = depConstraints(files).filter((constraint) => constraint.sourceTag === sourceTag);
  return Object.assign({ sourceTag }, ...found) as DepConstraint;
}

describe('the package table', () => {
  test.each([
    ['core', []],
    ['watermark', ['core']],
    ['window', ['core']],
    ['runtime', ['core', 'watermark', 'window']],
    ['runtime-memory', ['core', 'runtime']],
    ['redis', ['core']],
    ['mq', ['core', 'redis']],
    ['runtime-redis', ['core', 'runtime', 'redis', 'mq']],
    ['join', ['core', 'window']],
    ['cep', ['core']],
    ['table', ['core', 'mq', 'redis']],
  ])('%s may import exactly %j', (name, allowed) => {
    expect(constraintOf(`pkg:${name}`).onlyDependOnLibsWithTags).toEqual(
      allowed.map((other) => `pkg:${other}`),
    );
  });

  test('core and cep may import nothing from npm, redis its client', () => {
    expect(constraintOf('pkg:core').allowedExternalImports).toEqual([]);
    expect(constraintOf('pkg:cep').allowedExternalImports).toEqual([]);
    expect(constraintOf('pkg:redis').allowedExternalImports).toContain('ioredis');
  });

  test('a library reaches neither an engine nor the kernel', () => {
    expect(constraintOf('layer:library').notDependOnLibsWithTags).toEqual(['layer:kernel', 'layer:engine']);
  });

  test('has no cycle and agrees with its own layers', () => {
    for (const [name, { layer }] of Object.entries(PUBLISHED)) {
      const forbidden = NEVER_REACHES[layer] ?? [];
      for (const dependency of reachable(name)) {
        expect(dependency).not.toBe(name);
        expect(forbidden).not.toContain(PUBLISHED[dependency]?.layer);
      }
    }
  });

  test('tests may also use tools, test libraries and what the dependencies depend on', () => {
    const tests = constraintOf('pkg:runtime-memory', 'tests');
    expect(tests.onlyDependOnLibsWithTags).toEqual(
      expect.arrayContaining(['pkg:core', 'pkg:runtime', 'pkg:window', 'pkg:watermark', 'layer:tool']),
    );
    expect(tests.allowedExternalImports).toContain('fast-check');
  });
});

describe('the projects of the workspace', () => {
  const packages = manifestsOf('packages');

  test.each(packages.filter((manifest) => manifest.private !== true))(
    'packages/$folder is in the table and carries its tags',
    ({ folder, name, nx }) => {
      expect(name).toBe(`@rs/${folder}`);
      expect(nx?.tags).toEqual([`layer:${String(PUBLISHED[folder]?.layer)}`, `pkg:${folder}`]);
    },
  );

  test.each([
    ...packages
      .filter((manifest) => manifest.private === true)
      .map((manifest) => ({ manifest, tag: 'layer:suite' })),
    // Chaos is a tool for people and an application for lint: it uses what is published, as users do.
    ...manifestsOf('tools').map((manifest) => ({
      manifest,
      tag: manifest.folder === 'chaos' ? 'layer:app' : 'layer:tool',
    })),
    ...manifestsOf('examples').map((manifest) => ({ manifest, tag: 'layer:app' })),
    ...manifestsOf('benchmarks').map((manifest) => ({ manifest, tag: 'layer:app' })),
  ])('$manifest.name is private and tagged $tag', ({ manifest, tag }) => {
    expect(manifest.private).toBe(true);
    expect(manifest.nx?.tags).toEqual([tag]);
  });
});
