import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** The folders of the npm workspaces; each holds one project per subfolder. */
const PROJECT_FOLDERS = ['packages', 'tools', 'examples', 'benchmarks'];

export function sum(counts: readonly Counts[]): Counts {
  return {
    passed: counts.reduce((total, { passed }) => total + passed, 0),
    failed: counts.reduce((total, { failed }) => total + failed, 0),
  };
}

/** One file per runner, see write-counts.cjs. */
const COUNTS_FILE = /^counts(\.\w+)?\.json$/;

/** What the projects' last test runs left behind, summed up. */
export function readCounts(workspace: string): Counts {
  return sum(
    resultFolders(workspace)
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
      .filter((file) => COUNTS_FILE.test(basename(file)))
      .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Counts),
  );
}

/** Forgets earlier runs, so that a suite that does not get to run is not counted by what it did last time. */
export function clearCounts(workspace: string): void {
  for (const folder of resultFolders(workspace)) rmSync(folder, { recursive: true, force: true });
}

function resultFolders(workspace: string): string[] {
  return PROJECT_FOLDERS.map((folder) => join(workspace, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((project) => join(folder, project, 'test-results')));
}
