import type { createColors } from 'picocolors';

/** A promise that was broken, and what shows it. */
export interface Broken {
  readonly promise: string;
  readonly what: string;
  readonly evidence: readonly string[];
}

/** Violations of one promise that are told in full. */
const SHOWN = 5;

/** The violations promise by promise, for people. */
export function tellBroken(
  violations: readonly Broken[],
  promises: readonly string[],
  colors: ReturnType<typeof createColors>,
): string[] {
  return promises.flatMap((promise) => {
    const broken = violations.filter((each) => each.promise === promise);
    if (broken.length === 0) return [];
    return [
      '',
      colors.red(`Broken: ${promise} (${broken.length})`),
      ...broken
        .slice(0, SHOWN)
        .flatMap(({ what, evidence }) => [`- ${what}`, ...evidence.map((line) => `    ${line}`)]),
      ...(broken.length > SHOWN ? [`- and ${broken.length - SHOWN} more; --json has all`] : []),
    ];
  });
}

export function shownMillis(millis: number | null): string {
  return millis === null ? 'not measured' : `${millis} ms`;
}

export function rounded(millis: number | undefined): number | null {
  return millis === undefined ? null : Math.round(millis);
}
