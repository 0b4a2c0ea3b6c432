import { callOf, usesOf } from '../program/program.ts';
import type { CheckContext } from './check.ts';

/** `unpack(t)` fails beyond some 8,000 elements, and only when there are that many: so its range is always written. */
export function checkUnpack({ program, markers, report }: CheckContext): void {
  for (const use of usesOf(program, 'unpack')) {
    const at = program.tree.positionOf(use);
    const call = callOf(program, use);
    if (call === undefined) report(at, 'unpack is only called: by another name it could not be checked');
    else if (call.arguments.length < 3 && !markers.allow('bounded', at)) {
      report(at, 'unpack without a range: write unpack(t, i, j), or mark it with -- @bounded <reason>');
    }
  }
}
