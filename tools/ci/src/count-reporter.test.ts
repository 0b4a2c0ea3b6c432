import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'rs-ci-reporter-'));
});
afterEach(() => {
  rmSync(project, { recursive: true, force: true });
});

const written = (file: string): unknown =>
  JSON.parse(readFileSync(join(project, 'test-results', file), 'utf8'));

const TOOLS = join(__dirname, '..');

/** Runs an ES module in the project's folder, whatever becomes of it. */
function node(...args: readonly string[]): void {
  // A test runner that is started by another one would report to that one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  try {
    execFileSync(process.execPath, args, { cwd: project, env, stdio: 'ignore' });
  } catch {
    // Some of the tests are meant to fail.
  }
}

describe('of Jest', () => {
  interface Reporter {
    onRunComplete(contexts: unknown, results: object): void;
  }
  const CountReporter =
    jest.requireActual<new (globalConfig: { rootDir: string }) => Reporter>('../count-reporter.cjs');

  test('counts a test file that does not load as a failure', () => {
    const results = { numPassedTests: 5, numFailedTests: 1, numRuntimeErrorTestSuites: 2 };
    new CountReporter({ rootDir: project }).onRunComplete(new Set(), results);
    expect(written('counts.json')).toEqual({ passed: 5, failed: 3 });
  });
});

describe('of node --test', () => {
  const reporter = `--test-reporter=${pathToFileURL(join(TOOLS, 'node-count-reporter.mjs')).href}`;

  function run(files: Readonly<Record<string, string>>): void {
    for (const [name, code] of Object.entries(files)) writeFileSync(join(project, name), code);
    node('--test', reporter, '--test-reporter-destination=stdout', ...Object.keys(files));
  }

  test('counts tests, also those in suites and in tests, but neither suites nor what is left out', () => {
    run({
      'all.test.mjs': `
        import { describe, test } from 'node:test';
        test('passes', () => undefined);
        test('has a part', (t) => t.test('that passes', () => undefined));
        describe('suite', () => {
          test('passes', () => undefined);
          test('fails', () => { throw new Error('failed'); });
          test.skip('is left out', () => undefined);
          test.todo('is still to come');
        });`,
    });
    expect(written('counts.node.json')).toEqual({ passed: 4, failed: 1 });
  });

  test('counts a file that does not load, and a hook that fails, as failures', () => {
    run({
      'broken.test.mjs': `throw new Error('does not load');`,
      'hook.test.mjs': `
        import { after, describe, test } from 'node:test';
        describe('suite', () => {
          after(() => { throw new Error('failed'); });
          test('passes', () => undefined);
        });`,
    });
    expect(written('counts.node.json')).toEqual({ passed: 1, failed: 2 });
  });
});

describe('of Vitest', () => {
  /** A module as Vitest describes it; the states of its tests, and its own. */
  const module = (state: string, ...tests: readonly string[]) =>
    `{ state: () => '${state}', children: { allTests: () => [${tests
      .map((test) => `{ result: () => ({ state: '${test}' }) }`)
      .join()}] } }`;

  /** The reporter is an ES module, which Jest does not load. */
  function report(modules: readonly string[], unhandledErrors: readonly string[] = []): unknown {
    writeFileSync(
      join(project, 'report.mjs'),
      `import Reporter from '${pathToFileURL(join(TOOLS, 'vitest-count-reporter.mjs')).href}';
      const reporter = new Reporter();
      reporter.onInit({ config: { root: process.cwd() } });
      reporter.onTestRunEnd([${modules.join()}], ${JSON.stringify(unhandledErrors)}, 'failed');`,
    );
    node('report.mjs');
    return written('counts.vitest.json');
  }

  test('counts the tests that have passed and failed', () => {
    expect(report([module('passed', 'passed', 'skipped'), module('failed', 'passed', 'failed')])).toEqual({
      passed: 2,
      failed: 1,
    });
  });

  test('counts a file that does not load, and an error that nobody caught, as failures', () => {
    expect(report([module('failed'), module('passed', 'passed')], ['lost'])).toEqual({
      passed: 1,
      failed: 2,
    });
  });
});
