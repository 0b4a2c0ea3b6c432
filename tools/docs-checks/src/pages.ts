import { join } from 'node:path';

export const WORKSPACE = join(__dirname, '../../..');

/** The pages for users, relative to the workspace. READMEs of packages are tested by their packages. */
export const PAGES: readonly string[] = [
  'README.md',
  'docs/concepts.md',
  'docs/time-and-windows.md',
  'docs/state.md',
  'docs/two-inputs.md',
  'docs/patterns.md',
  'docs/checkpoints.md',
  'docs/testing-a-job.md',
  'docs/errors.md',
];
