import { describe, expect, jest, test } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from './codes.ts';
import { RsError, isRsError } from './rs-error.ts';

async function otherCopy(): Promise<typeof import('./rs-error.ts')> {
  let copy: typeof import('./rs-error.ts') | undefined;
  await jest.isolateModulesAsync(async () => {
    copy = await import('./rs-error.ts');
  });
  if (copy === undefined) throw new Error('the module was not loaded');
  return copy;
}

describe('RsError', () => {
  test('carries code, message, details and cause', () => {
    const cause = new TypeError('boom');
    const error = new RsError('RS_SINK_FAILED', 'sink 2 failed', { cause, details: { sink: 2 } });

    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('RsError');
    expect(error.code).toBe('RS_SINK_FAILED');
    expect(error.message).toBe('sink 2 failed');
    expect(error.details).toEqual({ sink: 2 });
    expect(error.cause).toBe(cause);
    expect(String(error)).toBe('RsError: sink 2 failed');
    expect(error.stack).toContain('rs-error.test');
  });

  test('has no cause and no details unless given', () => {
    const error = new RsError('RS_CLOSED', 'closed');
    expect('cause' in error).toBe(false);
    expect(error.details).toEqual({});
  });

  test.each(Object.keys(ERROR_CODES) as ErrorCode[])('%s takes retriable from its code', (code) => {
    expect(new RsError(code, 'x').retriable).toBe(ERROR_CODES[code].retriable);
  });

  test('retriable can be overridden for one error', () => {
    expect(new RsError('RS_COMMIT_REJECTED', 'x').retriable).toBe(true);
    expect(new RsError('RS_COMMIT_REJECTED', 'x', { retriable: false }).retriable).toBe(false);
    expect(new RsError('RS_SOURCE_FAILED', 'x', { retriable: true }).retriable).toBe(true);
  });

  test('the brand does not show when an error is listed or written as JSON', () => {
    const error = new RsError('RS_CLOSED', 'closed');
    expect(Object.getOwnPropertySymbols(Object.assign({}, error))).toEqual([]);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'RsError',
      message: 'closed',
      code: 'RS_CLOSED',
      retriable: false,
      details: {},
    });
  });
});

describe('instanceof', () => {
  test('holds across two copies of the module, in both directions', async () => {
    const other = await otherCopy();
    expect(other.RsError).not.toBe(RsError);

    const theirs: unknown = new other.RsError('RS_CLOSED', 'theirs');
    const ours: unknown = new RsError('RS_CLOSED', 'ours');
    expect(theirs instanceof RsError).toBe(true);
    expect(ours instanceof other.RsError).toBe(true);
    expect(isRsError(theirs, 'RS_CLOSED')).toBe(true);
    expect(other.isRsError(ours, 'RS_SINK_FAILED')).toBe(false);
  });

  test.each([
    new Error('x'),
    Object.assign(new Error('x'), { code: 'RS_CLOSED', retriable: false, details: {} }),
    { code: 'RS_CLOSED' },
    'RS_CLOSED',
    null,
    undefined,
    5,
  ])('does not hold for %p', (value) => {
    expect((value as unknown) instanceof RsError).toBe(false);
    expect(isRsError(value)).toBe(false);
    expect(isRsError(value, 'RS_CLOSED')).toBe(false);
  });

  test('of a subclass holds only for that subclass', () => {
    class PaymentError extends RsError {}
    const error: unknown = new PaymentError('RS_SINK_FAILED', 'card refused');
    const plain: unknown = new RsError('RS_SINK_FAILED', 'x');

    expect(error instanceof PaymentError).toBe(true);
    expect(error instanceof RsError).toBe(true);
    expect(plain instanceof PaymentError).toBe(false);
  });
});

test('isRsError asks for the code only when one is given', () => {
  const error = new RsError('RS_INVALID_NAME', 'x');
  expect(isRsError(error)).toBe(true);
  expect(isRsError(error, 'RS_INVALID_NAME')).toBe(true);
  expect(isRsError(error, 'RS_CLOSED')).toBe(false);
});
