import { Interrupted } from './command.ts';
import { clearCounts, readCounts, sum, type Counts } from './counts.ts';

/** One command of the check. */
export interface Step {
  readonly title: string;
  /** True when the command ended well. */
  readonly run: () => Promise<boolean>;
  /** Set for the run of all tests whose counts go into the sum. */
  readonly countsTests?: boolean;
}

/**
 * Runs all steps, the later ones also after a failure, so that one run shows everything that is wrong; but none after one
 * that was interrupted.
 *
 * @returns passed and failed tests; a step that fails without a failing test counts as one failure
 */
export async function runSteps(
  workspace: string,
  steps: readonly Step[],
  print: (line: string) => void,
): Promise<Counts> {
  const total: Counts[] = [];
  for (const { title, run, countsTests } of steps) {
    print(`\n=== ${title}`);
    if (countsTests === true) clearCounts(workspace);
    const outcome = await attempt(run, print);
    const ok = outcome === 'ok';
    const counts = countsTests === true ? readCounts(workspace) : { passed: 0, failed: 0 };
    if (countsTests === true) print(`=== ${title}: ${counts.passed} passed and ${counts.failed} failed`);
    if (!ok) print(`=== ${title}: FAILED`);
    total.push(ok || counts.failed > 0 ? counts : { ...counts, failed: 1 });
    if (outcome === 'interrupted') break;
  }
  return sum(total);
}

async function attempt(
  run: Step['run'],
  print: (line: string) => void,
): Promise<'ok' | 'failed' | 'interrupted'> {
  try {
    return (await run()) ? 'ok' : 'failed';
  } catch (error) {
    print(String(error));
    return error instanceof Interrupted ? 'interrupted' : 'failed';
  }
}
