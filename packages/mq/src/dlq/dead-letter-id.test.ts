import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { coded } from '../test-support/coded.ts';
import { deadLetterId, parseDeadLetterId } from './dead-letter-id.ts';

test('an id leads back to its place', () => {
  const number = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(fc.nat({ max: 4_095 }), number, number, (partition, ms, seq) => {
      const place = { partition, entry: `${ms}-${seq}` };
      expect(parseDeadLetterId(deadLetterId(place), 'id')).toEqual(place);
    }),
  );
});

test.each(['', '17-0', '0:17', ':17-0', '-1:17-0', '01:17-0', '0:17-0 ', '0:+-0', 17, null, undefined])(
  '%p is none',
  (id) => {
    expect(() => parseDeadLetterId(id, 'after')).toThrow(
      coded('RS_INVALID_ARGUMENT', {
        message: expect.stringMatching(/^after must be the id of a dead letter/) as never,
      }),
    );
  },
);
