import { median } from './statistics.ts';
import type { Figure } from './suite.ts';

/** Processor time of somebody as part of the time that passed: 100 % is one processor. */
export function cpuFigure(who: string): Figure {
  return { of: median, digits: 0, text: (percent) => `${who} ${percent} % CPU` };
}

export function percent(cpuMs: number, elapsedMs: number): number {
  return (cpuMs / elapsedMs) * 100;
}
