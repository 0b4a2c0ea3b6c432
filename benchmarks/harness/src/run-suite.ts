import { measureCase } from './measure.ts';
import { type CaseReport, caseReport, type SuiteReport } from './report.ts';
import type { Case, Suite } from './suite.ts';
import { caseText, heading } from './text.ts';

export interface RunOptions {
  readonly rounds: number;
  /** Part of the names of the cases that are run; `undefined` for all. */
  readonly only: string | undefined;
  /** Is told each piece of the text as soon as it is known: some suites take minutes. */
  readonly say: (text: string) => void;
}

/** No case has the text in its name. */
export class NoSuchCase extends Error {}

/**
 * Runs the cases of a suite one after the other.
 *
 * @throws NoSuchCase; Error when a result is wrong
 */
export async function runSuite(suite: Suite, { rounds, only, say }: RunOptions): Promise<SuiteReport> {
  const opened = await suite.open();
  const { redis, cases } = opened;
  try {
    const chosen = cases.filter(({ name }) => only === undefined || name.includes(only));
    if (chosen.length === 0) {
      const names = cases.map(({ name }) => `  ${name}`).join('\n');
      throw new NoSuchCase(`no case of '${suite.name}' has '${only ?? ''}' in its name; there are\n${names}`);
    }
    const facts = { suite: suite.name, node: process.version, redis, rounds };
    say(heading(facts));
    const reports: CaseReport[] = [];
    for (const each of chosen) reports.push(await runCase(each, rounds, say));
    return { ...facts, cases: reports };
  } finally {
    await opened.close?.();
  }
}

async function runCase(each: Case, rounds: number, say: RunOptions['say']): Promise<CaseReport> {
  const opened = await each.open();
  try {
    const measured = await measureCase(opened.variants, rounds, each.figures);
    const own = opened.extra?.() ?? {};
    say(`\n${caseText(each, measured, own)}`);
    return caseReport(each, measured, own);
  } finally {
    await opened.close?.();
  }
}
