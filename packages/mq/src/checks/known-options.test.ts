import { describe, expect, test } from '@jest/globals';
import { checkKnown } from './known-options.ts';

const KNOWN = ['concurrency', 'maxInFlight', 'maxInFlightBytes', 'from', 'ack'];

function messageOf(option: string): string {
  try {
    checkKnown({ [option]: 1 }, KNOWN, 'subscribe');
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('expected an error');
}

describe('checkKnown', () => {
  test('known names pass, and so do unknown ones without a value', () => {
    checkKnown({ from: 1, ack: undefined, other: undefined }, KNOWN, 'subscribe');
  });

  test.each([
    ['concurency', 'concurrency'],
    ['Concurrency', 'concurrency'],
    ['maxInflight', 'maxInFlight'],
    ['maxInFlightByte', 'maxInFlightBytes'],
    ['form', 'from'],
    ['acks', 'ack'],
  ])("'%s': did you mean '%s'?", (option, nearest) => {
    expect(messageOf(option)).toBe(`subscribe: there is no option '${option}'; did you mean '${nearest}'?`);
  });

  test.each(['handlers', 'x', 'inFlight', '__proto_', 'prefetch'])("'%s' is like none of them", (option) => {
    expect(messageOf(option)).toBe(
      `subscribe: there is no option '${option}'; there are ${KNOWN.join(', ')}`,
    );
  });

  test('tells what was given', () => {
    expect(() => {
      checkKnown({ form: 1 }, KNOWN, 'subscribe');
    }).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        details: { what: 'subscribe', option: 'form', nearest: 'from' },
      }),
    );
  });
});
