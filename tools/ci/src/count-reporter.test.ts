import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';

interface Reporter {
  onRunComplete(contexts: unknown, results: object): void;
}

const CountReporter =
  jest.requireActual<new (globalConfig: { rootDir: string }) => Reporter>('../count-reporter.cjs');

test('the reporter counts a test file that does not load as a failure', () => {
  const rootDir = mkdtempSync(join(tmpdir(), 'rs-ci-reporter-'));
  try {
    const results = { numPassedTests: 5, numFailedTests: 1, numRuntimeErrorTestSuites: 2 };
    new CountReporter({ rootDir }).onRunComplete(new Set(), results);
    const written: unknown = JSON.parse(readFileSync(join(rootDir, 'test-results/counts.json'), 'utf8'));
    expect(written).toEqual({ passed: 5, failed: 3 });
  } finally {
    rmSync(rootDir, { recursive: true, force: true });
  }
});
