import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Interrupted } from './command.ts';
import { runSteps, type Step } from './steps.ts';

describe('runSteps', () => {
  let workspace: string;
  let lines: string[];

  beforeEach(() => {
    workspace = mkdtempSync(join(tmpdir(), 'rs-ci-test-'));
    lines = [];
  });
  afterEach(() => {
    rmSync(workspace, { recursive: true, force: true });
  });

  /** What a run of a project's tests leaves behind. */
  function leave(project: string, passed: number, failed: number, file = 'counts.json'): void {
    const folder = join(workspace, project, 'test-results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify({ passed, failed }));
  }

  function testRun(
    title: string,
    ok: boolean,
    ...results: [project: string, passed: number, failed: number][]
  ): Step {
    return {
      title,
      countsTests: true,
      run: async () => {
        for (const [project, passed, failed] of results) leave(project, passed, failed);
        return ok;
      },
    };
  }

  const run = (...steps: Step[]) => runSteps(workspace, steps, (line) => lines.push(line));

  test('sums over projects and over runs', async () => {
    const result = await run(
      testRun('on 20', true, ['packages/core', 3, 0], ['examples/flights', 2, 0]),
      testRun('on 22', true, ['packages/core', 3, 0]),
    );
    expect(result).toEqual({ passed: 8, failed: 0 });
    expect(lines).toContain('=== on 20: 5 passed and 0 failed');
  });

  test('sums over the runners of a project, and reads nothing else', async () => {
    const several: Step = {
      title: 'tests',
      countsTests: true,
      run: async () => {
        leave('examples/testing', 3, 0);
        leave('examples/testing', 4, 1, 'counts.vitest.json');
        leave('examples/testing', 5, 2, 'counts.node.json');
        leave('examples/testing', 100, 100, 'discounts.json');
        return false;
      },
    };
    expect(await run(several)).toEqual({ passed: 12, failed: 3 });
  });

  test('forgets what earlier runs left behind', async () => {
    leave('packages/core', 100, 7);
    expect(await run(testRun('tests', true, ['packages/window', 1, 0]))).toEqual({ passed: 1, failed: 0 });
    expect(existsSync(join(workspace, 'packages/core/test-results'))).toBe(false);
  });

  test('a failing test fails the run once, and the later steps still run', async () => {
    const result = await run(
      testRun('on 20', false, ['packages/core', 3, 2]),
      testRun('on 22', true, ['packages/core', 5, 0]),
    );
    expect(result).toEqual({ passed: 8, failed: 2 });
  });

  test('a step without tests that fails counts as one failure', async () => {
    const lint = { title: 'lint', run: async () => false };
    expect(await run(lint, testRun('tests', true, ['packages/core', 3, 0]))).toEqual({
      passed: 3,
      failed: 1,
    });
    expect(lines).toContain('=== lint: FAILED');
  });

  test('a test run that fails before any test counts as one failure', async () => {
    expect(await run(testRun('tests', false))).toEqual({ passed: 0, failed: 1 });
  });

  test('a command that cannot be started counts as one failure', async () => {
    const broken: Step = {
      title: 'broken',
      run: async () => {
        throw new Error('spawn npm ENOENT');
      },
    };
    expect(await run(broken)).toEqual({ passed: 0, failed: 1 });
    expect(lines).toContain('Error: spawn npm ENOENT');
  });

  test('nothing is started after an interruption, which counts as one failure', async () => {
    const interrupted: Step = {
      title: 'verify',
      run: async () => {
        throw new Interrupted('npm run verify was stopped by SIGINT');
      },
    };
    const later = testRun('tests', true, ['packages/core', 3, 0]);
    expect(await run(interrupted, later)).toEqual({ passed: 0, failed: 1 });
    expect(lines).toContain('=== verify: FAILED');
    expect(lines.some((line) => line.includes('tests'))).toBe(false);
  });
});
