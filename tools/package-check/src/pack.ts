import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { SCOPE, readManifest, runtimeDependencies } from './manifest.ts';

export interface Tarball {
  /** The package's folder in the workspace. */
  readonly folder: string;
  readonly path: string;
  /** Paths inside of the package. */
  readonly files: readonly string[];
}

/** Packs a package and everything of this workspace it depends on, itself first, without building anything. */
export function packWithDependencies(folder: string, destination: string): [Tarball, ...Tarball[]] {
  const packed: [Tarball, ...Tarball[]] = [pack(folder, destination)];
  for (const { folder: dependent } of packed) {
    for (const dependency of workspaceDependencies(dependent)) {
      if (packed.every((tarball) => tarball.folder !== dependency))
        packed.push(pack(dependency, destination));
    }
  }
  return packed;
}

function workspaceDependencies(folder: string): string[] {
  return runtimeDependencies(readManifest(folder))
    .filter((name) => name.startsWith(SCOPE))
    .map((name) => join(dirname(folder), name.slice(SCOPE.length)));
}

function pack(folder: string, destination: string): Tarball {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const output = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
  const [report] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }];
  return { folder, path: join(destination, report.filename), files: report.files.map(({ path }) => path) };
}
