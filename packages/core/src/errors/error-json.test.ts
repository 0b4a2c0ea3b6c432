import { describe, expect, test } from '@jest/globals';
import { RsError } from './rs-error.ts';

const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('an error as JSON', () => {
  test('has the texts of all that led to it', () => {
    const thrown = Object.assign(new TypeError('boom'), { code: 'E_BOOM' });
    const inner = new RsError('RS_USER_FUNCTION_FAILED', 'map: boom', {
      cause: thrown,
      details: { operator: 'map' },
    });
    expect(written({ last: new RsError('RS_TASK_FAILED', 'gave up', { cause: inner }) })).toEqual({
      last: {
        name: 'RsError',
        message: 'gave up',
        code: 'RS_TASK_FAILED',
        retriable: false,
        details: {},
        cause: {
          name: 'RsError',
          message: 'map: boom',
          code: 'RS_USER_FUNCTION_FAILED',
          retriable: false,
          details: { operator: 'map' },
          cause: { name: 'TypeError', message: 'boom', code: 'E_BOOM' },
        },
      },
    });
  });

  test.each([
    ['a text', 'no', 'no'],
    ['null', null, null],
    ['an object', { a: 1 }, { a: 1 }],
    ['a BigInt', 5n, '5'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
  ])('keeps %s that was thrown', (_, cause, expected) => {
    expect(written(new RsError('RS_SINK_FAILED', 'x', { cause }))).toMatchObject({ cause: expected });
  });

  test('can always be written, whatever it carries', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const own = new Error('own');
    own.cause = own;
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    );
    const details = {
      circle,
      large: 5n,
      nothing: undefined,
      fn: () => 1,
      hostile,
      error: new Error('inside'),
    };
    const json = written(new RsError('RS_INVALID_VALUE', 'x', { cause: own, details })) as {
      details: unknown;
      cause: object;
    };
    expect(json.details).toEqual({
      circle: '[object Object]',
      large: '5',
      hostile: '[unreadable]',
      error: { name: 'Error', message: 'inside' },
    });
    expect(json.cause).toMatchObject({ message: 'own', cause: { message: 'own' } });
  });

  test('does not throw for an error whose texts cannot be read', () => {
    const bad = Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(() => JSON.stringify(new RsError('RS_SINK_FAILED', 'x', { cause: bad }))).not.toThrow();
  });
});
