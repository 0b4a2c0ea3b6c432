import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { errorOf } from './error-of.ts';

describe('errorOf', () => {
  test('what a dead letter says', () => {
    const full = {
      name: 'RsError',
      message: 'no order',
      signature: 'RS_INVALID_VALUE: no order',
      stack: 'RsError: no order\n    at f',
      code: 'RS_INVALID_VALUE',
      issues: [{ message: 'no number', path: 'items.0' }, { message: 'no date' }],
      reason: 'closed',
    };
    expect(errorOf(JSON.stringify(full))).toEqual(full);
  });

  test('only a signature is always there: that of the error, else what the handler said', () => {
    expect(errorOf('{}')).toEqual({ signature: '' });
    expect(errorOf('{"name":"E","signature":"E","stack":""}')).toEqual({ name: 'E', signature: 'E' });
    expect(errorOf('{"reason":"order 17 is \'late\'"}')).toEqual({
      reason: "order 17 is 'late'",
      signature: 'order <n> is <text>',
    });
    const clipped = errorOf(JSON.stringify({ reason: 'x'.repeat(500) }));
    expect(clipped.signature).toHaveLength(200);
  });

  test('what others wrote is left out', () => {
    expect(errorOf('')).toEqual({ signature: '' });
    expect(errorOf('"text"')).toEqual({ signature: '' });
    expect(errorOf('{"name":1,"message":null,"issues":"none","code":{}}')).toEqual({ signature: '' });
    expect(errorOf('{"issues":[null,1,{"path":[1,null]}]}').issues).toEqual([{ message: 'undefined' }]);
  });

  test('nothing makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (json) => {
        expect(typeof errorOf(json).signature).toBe('string');
      }),
    );
  });
});
