import type { Header } from '../header/header.ts';
import type { Markers } from '../marker.ts';
import type { Position, Problem } from '../problem.ts';
import type { Program } from '../program/program.ts';
import { checkCommands } from './commands.ts';
import { checkGlobals } from './globals.ts';
import { checkHeaderUse } from './header-use.ts';
import { checkIncluded } from './included.ts';
import { checkUnpack } from './unpack.ts';

/** What a check works on. */
export interface CheckContext {
  readonly program: Program;
  readonly markers: Markers;
  readonly report: (at: Position, message: string) => void;
}

/**
 * All that can be wrong with a script that is right as Lua.
 *
 * @param header `undefined` when it is not complete: then nothing is compared with it
 */
export function checkProgram(program: Program, header: Header | undefined, markers: Markers): Problem[] {
  const problems: Problem[] = [];
  const context: CheckContext = {
    program,
    markers,
    report: (at, message) => problems.push({ ...at, message }),
  };
  checkIncluded(context);
  checkGlobals(context);
  checkCommands(context);
  checkUnpack(context);
  if (header !== undefined) checkHeaderUse(context, header);
  return problems;
}
