import { checkProgram } from '../check/check.ts';
import { parseLua } from '../lua-file.ts';
import { Markers } from '../marker.ts';
import { problemLines, type Problem } from '../problem.ts';
import { programOf } from '../program/program.ts';

/** All that is wrong with the code of `test.lua`, which needs no header; markers that allow nothing included. */
export function problemsIn(code: string): string[] {
  const file = parseLua('test.lua', code);
  if ('message' in file) return problemLines([file]);
  const problems: Problem[] = [];
  const markers = new Markers();
  markers.add(file, problems);
  problems.push(...checkProgram(programOf([file]), undefined, markers), ...markers.unused());
  return problemLines(problems);
}
