import { cwd } from 'node:process';
import { writeCounts } from './write-counts.cjs';

/** A reporter for `node --test` that prints nothing and leaves the counts of a run where CI sums them up. */
export default async function* countReporter(events) {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.skip !== undefined || data.todo !== undefined) continue;
    const isSuite = data.details?.type === 'suite';
    if (type === 'test:pass' && !isSuite) passed += 1;
    // A suite fails with its tests, which count themselves, or by a hook.
    if (type === 'test:fail' && !(isSuite && data.details.error?.failureType === 'subtestsFailed'))
      failed += 1;
  }
  writeCounts(cwd(), 'counts.node.json', { passed, failed });
  yield '';
}
