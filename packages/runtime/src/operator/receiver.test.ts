import { describe, expect, test } from '@jest/globals';
import { Recorder } from '../test-support/recorder.ts';
import { Outputs } from './outputs.ts';
import { type AnyReceiver, multicast, NOWHERE, type Receiver, watermarkTarget } from './receiver.ts';

/** Passes everything on, as a map does. */
function passing(out: Recorder): Receiver<unknown> {
  return {
    record: (value, timestamp, key) => out.record(value, timestamp, key),
    watermark: (timestamp) => out.watermark(timestamp),
    status: (idle) => out.status(idle),
    end: () => out.end(),
    watermarkTarget: out,
  };
}

describe('multicast', () => {
  test('sends every item to all receivers, in their order', () => {
    const log: string[] = [];
    const named = (name: string): Receiver<unknown> => ({
      record: (value) => log.push(`${name} ${String(value)}`),
      watermark: (timestamp) => log.push(`${name} w${timestamp}`),
      status: (idle) => log.push(`${name} ${idle}`),
      end: () => log.push(`${name} end`),
    });
    const all = multicast([named('a'), named('b')]);
    all.record(1, 0, undefined);
    all.watermark(5);
    all.status(true);
    all.end();
    expect(log).toEqual(['a 1', 'b 1', 'a w5', 'b w5', 'a true', 'b true', 'a end', 'b end']);
  });

  test('of one is that one, of none is nowhere', () => {
    const one = new Recorder();
    expect(multicast([one])).toBe(one);
    expect(multicast([])).toBe(NOWHERE);
  });
});

describe('watermarkTarget', () => {
  test('skips what only passes watermarks on, and leaves nobody out', () => {
    const [a, b] = [new Recorder(), new Recorder()];
    expect(watermarkTarget(passing(a))).toBe(a);
    expect(watermarkTarget(a)).toBe(a);
    watermarkTarget(multicast([passing(a), b, NOWHERE])).watermark(7);
    expect([a.trace, b.trace]).toEqual([['w7'], ['w7']]);
  });
});

describe('Outputs', () => {
  test('control reaches the main output and all side outputs that somebody reads', () => {
    const [main, side] = [new Recorder(), new Recorder()];
    const outputs = new Outputs(main, new Map<string, AnyReceiver>([['side', side], ['unread', NOWHERE]])); // prettier-ignore
    outputs.control.watermark(5);
    outputs.side('side').record('s', 1, undefined);
    outputs.side('unknown').record('lost', 1, undefined);
    expect([main.trace, side.trace]).toEqual([['w5'], ['w5', 's@1']]);
  });
});
