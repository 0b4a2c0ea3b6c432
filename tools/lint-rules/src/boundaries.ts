/**
 * Who may import whom. The one place where the package table of ARCHITECTURE.md is written for machines: lint turns it
 * into constraints, and the package check compares every tarball with it.
 */

export type Layer =
  'core' | 'time' | 'kernel' | 'engine' | 'driver' | 'mq' | 'library' | 'suite' | 'app' | 'tool';

export interface PublishedPackage {
  readonly layer: Layer;
  /** Packages of this workspace its production code may import, by their name without `@rs/`. */
  readonly mayDependOn: readonly string[];
  /** npm packages its production code may import. Everything else needs a reason in writing, and then a line here. */
  readonly thirdParty: readonly string[];
}

/** Every published package, also those that do not exist yet. */
export const PUBLISHED: Readonly<Record<string, PublishedPackage>> = {
  core: { layer: 'core', mayDependOn: [], thirdParty: [] },
  watermark: { layer: 'time', mayDependOn: ['core'], thirdParty: [] },
  window: { layer: 'time', mayDependOn: ['core'], thirdParty: [] },
  runtime: { layer: 'kernel', mayDependOn: ['core', 'watermark', 'window'], thirdParty: [] },
  'runtime-memory': { layer: 'engine', mayDependOn: ['core', 'runtime'], thirdParty: [] },
  redis: {
    layer: 'driver',
    mayDependOn: ['core'],
    thirdParty: ['ioredis', 'msgpackr', '@opentelemetry/api'],
  },
  mq: { layer: 'mq', mayDependOn: ['core', 'redis'], thirdParty: ['msgpackr', '@opentelemetry/api'] },
  'runtime-redis': {
    layer: 'engine',
    mayDependOn: ['core', 'runtime', 'redis', 'mq'],
    thirdParty: ['@opentelemetry/api'],
  },
  join: { layer: 'library', mayDependOn: ['core', 'window'], thirdParty: [] },
  cep: { layer: 'library', mayDependOn: ['core'], thirdParty: [] },
  table: { layer: 'library', mayDependOn: ['core', 'mq', 'redis'], thirdParty: [] },
};

/**
 * What a layer must not reach, not even through another package. Private layers: `suite` (packages/conformance) runs
 * one behaviour suite on all engines, `app` (examples, benchmarks, tools/chaos) may use everything published, `tool`
 * (the other tools) stands outside of the product.
 */
export const NEVER_REACHES: Readonly<Partial<Record<Layer, readonly Layer[]>>> = {
  core: ['time', 'kernel', 'engine', 'driver', 'mq', 'library'],
  time: ['kernel', 'engine', 'driver', 'mq', 'library'],
  kernel: ['engine', 'driver', 'mq', 'library'],
  engine: ['library'],
  driver: ['time', 'kernel', 'engine', 'mq', 'library'],
  mq: ['time', 'kernel', 'engine', 'library'],
  library: ['kernel', 'engine'],
};

/**
 * Tests may import test libraries and, besides the package's own dependencies, what those depend on. `ioredis-6` is the
 * other major version that the adapter of @rs/redis supports.
 */
export const TEST_LIBRARIES: readonly string[] = ['@jest/globals', 'fast-check', 'ioredis-6'];

const PUBLISHED_LAYERS: readonly Layer[] = [
  ...new Set(Object.values(PUBLISHED).map((published) => published.layer)),
];

const PRIVATE_LAYERS: Readonly<Partial<Record<Layer, readonly Layer[]>>> = {
  suite: [...PUBLISHED_LAYERS, 'tool'],
  app: [...PUBLISHED_LAYERS, 'app', 'tool'],
  tool: ['tool'],
};

/** One entry of `depConstraints` of the rule `@nx/enforce-module-boundaries`. */
export interface DepConstraint {
  sourceTag: string;
  onlyDependOnLibsWithTags?: string[];
  notDependOnLibsWithTags?: string[];
  allowedExternalImports?: string[];
}

/**
 * The table as constraints of the Nx rule; a project must meet all entries that match one of its tags.
 *
 * @param files `tests` widens the constraints by what {@link TEST_LIBRARIES} describes, and by tools
 */
export function depConstraints(files: 'production' | 'tests'): DepConstraint[] {
  const tests = files === 'tests';
  return [
    ...Object.entries(PUBLISHED).map(([name, { mayDependOn, thirdParty }]) => ({
      sourceTag: `pkg:${name}`,
      onlyDependOnLibsWithTags: (tests ? reachable(name) : mayDependOn)
        .map((dependency) => `pkg:${dependency}`)
        .concat(tests ? ['layer:tool'] : []),
      allowedExternalImports: [
        ...thirdParty,
        ...(tests ? [...thirdPartyOf(reachable(name)), ...TEST_LIBRARIES] : []),
      ],
    })),
    ...Object.entries(NEVER_REACHES).map(([layer, forbidden]) => ({
      sourceTag: `layer:${layer}`,
      notDependOnLibsWithTags: forbidden.map((other) => `layer:${other}`),
    })),
    ...Object.entries(PRIVATE_LAYERS).map(([layer, allowed]) => ({
      sourceTag: `layer:${layer}`,
      onlyDependOnLibsWithTags: allowed.map((other) => `layer:${other}`),
    })),
  ];
}

function thirdPartyOf(packages: readonly string[]): string[] {
  return packages.flatMap((name) => PUBLISHED[name]?.thirdParty ?? []);
}

/** All published packages that `name` depends on, directly or through another one. */
export function reachable(name: string): string[] {
  const direct = PUBLISHED[name]?.mayDependOn ?? [];
  return [...new Set(direct.flatMap((dependency) => [dependency, ...reachable(dependency)]))];
}
