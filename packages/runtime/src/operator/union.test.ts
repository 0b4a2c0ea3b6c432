import { describe, expect, test } from '@jest/globals';
import { JobRun } from '../test-support/job-run.ts';

/** A union of sources, each fed by hand. */
function union(inputs: number) {
  const run = new JobRun<string>((first, env) =>
    first.union(...Array.from({ length: inputs - 1 }, () => env.input<string>())),
  );
  return { run, input: (index: number) => run.input(index), trace: () => run.output().trace.splice(0) };
}

describe('union', () => {
  test('passes records on as they come, with their keys', () => {
    const { run, input } = union(2);
    input(1).record('b', 5, undefined);
    input(0).record('a', 3, 'k');
    expect(run.output().trace).toEqual(['b@5', 'a@3']);
    expect(run.output().keys).toEqual([undefined, 'k']);
  });

  test('its watermark is the minimum of the inputs, and tells only when that rises', () => {
    const { input, trace } = union(2);
    input(0).watermark(10);
    expect(trace()).toEqual([]);
    input(1).watermark(4);
    input(1).watermark(6);
    input(0).watermark(20);
    expect(trace()).toEqual(['w4', 'w6']);
    input(1).watermark(30);
    expect(trace()).toEqual(['w20']);
  });

  test('leaves an idle input out, and takes it in again when it is back', () => {
    const { input, trace } = union(2);
    input(0).watermark(10);
    input(1).watermark(4);
    input(1).status(true);
    expect(trace()).toEqual(['w4', 'w10']);
    input(1).status(false);
    input(0).watermark(20);
    expect(trace()).toEqual([]); // Input 1 holds it again, though it does not fall.
    input(1).watermark(12);
    expect(trace()).toEqual(['w12']);
  });

  test('is idle while all inputs are', () => {
    const { input, trace } = union(2);
    input(0).status(true);
    expect(trace()).toEqual([]);
    input(1).status(true);
    expect(trace()).toEqual(['idle']);
    input(0).status(false);
    input(1).status(false);
    expect(trace()).toEqual(['active']);
  });

  test('a raised watermark ends the idleness of its input', () => {
    const { input, trace } = union(2);
    input(0).status(true);
    input(1).status(true);
    input(0).watermark(7);
    expect(trace()).toEqual(['idle', 'w7', 'active']);
  });

  test('ends when all inputs have ended; an ended one holds nobody back', () => {
    const { input, trace } = union(3);
    input(0).watermark(10);
    input(1).watermark(5);
    input(2).watermark(8);
    expect(trace()).toEqual(['w5']);
    input(1).end();
    expect(trace()).toEqual(['w8']);
    input(2).end();
    input(0).watermark(11);
    expect(trace()).toEqual(['w10', 'w11']);
    input(0).end();
    expect(trace()).toEqual(['end']);
  });

  test('the end of one input is no end of time for others that are only idle', () => {
    const { input, trace } = union(2);
    input(0).watermark(10);
    input(1).watermark(5);
    input(1).status(true);
    input(0).end();
    expect(trace()).toEqual(['w5', 'w10', 'idle']);
    input(1).status(false);
    input(1).watermark(20);
    expect(trace()).toEqual(['active', 'w20']);
    input(1).end();
    expect(trace()).toEqual(['end']);
  });

  test('after a flush of all inputs the first that starts anew takes time back', () => {
    const { input, trace } = union(2);
    input(0).watermark(Infinity);
    input(1).watermark(Infinity);
    expect(trace()).toEqual(['wInfinity']);
    input(0).watermark(50);
    input(0).watermark(60);
    input(1).watermark(55);
    expect(trace()).toEqual(['w50', 'w60']);
  });

  test('an input that starts anew does not take time back from one that was never flushed', () => {
    const { input, trace } = union(2);
    input(0).watermark(Infinity);
    input(1).watermark(100);
    input(0).watermark(50);
    input(0).watermark(120);
    input(1).watermark(110);
    expect(trace()).toEqual(['w100', 'w110']);
  });

  test('idleness that a watermark ended is not restored', () => {
    const [before, after] = [union(2), union(2)];
    before.input(0).status(true);
    before.input(0).watermark(5);
    after.run.operator('union').instance.restore?.(before.run.operator('union').instance.meta?.() ?? {});
    after.input(1).watermark(9);
    expect(after.trace()).toEqual(['w5']);
  });

  test('inputs that became idle one after the other are restored without raising the result', () => {
    const [before, after] = [union(2), union(2)];
    before.input(1).watermark(9);
    before.input(1).status(true);
    before.input(0).end();
    expect(before.trace()).toEqual(['idle']);
    const meta = before.run.operator('union').instance.meta?.() ?? {};
    after.run.operator('union').instance.restore?.(meta);
    expect(after.run.operator('union').instance.meta?.()).toEqual(meta);
  });

  test('goes on where it was after a crash', () => {
    const [before, after] = [union(3), union(3)];
    before.input(0).watermark(10);
    before.input(1).watermark(6);
    before.input(1).status(true);
    before.input(2).watermark(8);
    before.input(2).end();
    const meta = before.run.operator('union').instance.meta?.() ?? {};
    after.run.operator('union').instance.restore?.(meta);
    for (const { input, trace } of [before, after]) {
      trace();
      input(0).watermark(9); // Below what it was.
      input(0).watermark(12);
      input(1).status(false);
      input(1).watermark(11);
      input(0).watermark(15);
      input(1).watermark(13);
      input(0).end();
      input(1).end();
      expect(trace()).toEqual(['w12', 'w13', 'end']);
    }
  });
});
