import { defineJob, type JobDefinition } from '@rs/core';

/** Sums up numbers; `step` sees each of them first. */
export function summing(
  numbers: readonly number[],
  sums: number[],
  step: (n: number) => void = () => undefined,
): JobDefinition {
  return defineJob((env) =>
    env
      .fromElements(...numbers)
      .map((n) => {
        step(n);
        return n;
      })
      .keyBy(() => 'k')
      .sum((n) => n)
      .addSink((sum) => void sums.push(sum)),
  );
}

/** A step that fails at one of the numbers. */
export function failAt(bad: number): (n: number) => void {
  return (n) => {
    if (n === bad) throw new Error(`no ${bad}`);
  };
}
