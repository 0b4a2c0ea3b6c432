import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { describeError } from './error-signature.ts';

describe('describeError', () => {
  test('an error', () => {
    const report = describeError(new TypeError("Cannot read properties of undefined (reading 'id')"));
    expect(report).toEqual({
      name: 'TypeError',
      message: "Cannot read properties of undefined (reading 'id')",
      signature: 'TypeError: Cannot read properties of undefined (reading <text>)',
      stack: expect.stringMatching(/^TypeError: Cannot read .*\n +at /) as unknown,
    });
  });

  test('a code says more than a name', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' });
    expect(describeError(refused)).toMatchObject({
      name: 'Error',
      signature: 'ECONNREFUSED: connect ECONNREFUSED <n>:<n>',
    });
    expect(describeError(new RsError('RS_HANDLER_TIMEOUT', 'took longer than 5000 ms'))).toMatchObject({
      name: 'RsError',
      signature: 'RS_HANDLER_TIMEOUT: took longer than <n> ms',
    });
    expect(describeError(Object.assign(new Error('no'), { code: 42 })).signature).toBe('Error: no');
    expect(describeError(Object.assign(new Error('no'), { code: 'of many\nlines' })).signature).toBe(
      'Error: no',
    );
  });

  test('names the class where an error has no name of its own', () => {
    class PaymentRefused extends Error {}
    expect(describeError(Object.assign(new PaymentRefused('x'), { name: '' })).name).toBe('PaymentRefused');
  });

  test.each([
    ['a text', { name: 'string', message: 'a text', signature: 'string: a text' }],
    ['', { name: 'string', message: '', signature: 'string' }],
    [undefined, { name: 'undefined', message: 'undefined', signature: 'undefined: undefined' }],
    [null, { name: 'null', message: 'null', signature: 'null: null' }],
    [404, { name: 'number', message: '404', signature: 'number: <n>' }],
    [12n, { name: 'bigint', message: '12', signature: 'bigint: <n>' }],
    [Symbol('s'), { name: 'symbol', message: 'Symbol(s)', signature: 'symbol: Symbol(s)' }],
    [{ status: 503 }, { name: 'Object', message: '{"status":503}', signature: 'Object: {<text>:<n>}' }],
    [
      { name: 'Odd', message: 'like an error' },
      { name: 'Odd', message: 'like an error' },
    ],
    [Object.create(null), { name: 'object', message: '{}' }],
  ])('%p may be thrown too', (thrown, report) => {
    expect(describeError(thrown)).toMatchObject({ ...report, stack: '' });
  });

  test('what throws when it is read does no harm', () => {
    const fails = () => {
      throw new Error('hands off');
    };
    const hostile = Object.defineProperties(
      {},
      Object.fromEntries(
        ['name', 'message', 'code', 'stack', 'cause', 'toJSON'].map((name) => [name, { get: fails }]),
      ),
    );
    const proxy = new Proxy(new Error('inside'), {
      get: fails,
      has: fails,
      getPrototypeOf: fails,
      ownKeys: fails,
    });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const nothing = { message: '', stack: '' };
    expect(describeError(hostile)).toEqual({ ...nothing, name: 'Object', signature: 'Object' });
    expect(describeError(proxy)).toEqual({ ...nothing, name: 'object', signature: 'object' });
    expect(describeError(circular)).toEqual({ ...nothing, name: 'Object', signature: 'Object' });
    expect(describeError({ message: 7, name: {} })).toMatchObject({
      name: 'Object',
      message: '{"message":7,"name":{}}',
    });
  });

  test('is bounded, and cuts no character', () => {
    const error = new Error('ä😀'.repeat(10_000));
    error.stack = `Error: ${'😀'.repeat(10_000)}`;
    const { message, signature, stack } = describeError(error);
    expect(message).toHaveLength(511); // the last one would be half a character
    expect(signature.length).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(stack)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(stack)).toBeGreaterThan(4090);
    for (const text of [message, signature, stack]) expect(Buffer.from(text).toString()).toBe(text);
    expect(describeError(new Error(`${'x'.repeat(511)}😀`)).message).toBe('x'.repeat(511));
  });

  test('a huge message takes no long time', () => {
    const started = process.cpuUsage();
    for (const part of ["'", '"', '"\\', '`', 'a1', '0x', '1-', ' ', '-1']) {
      describeError(new Error(part.repeat(5_000_000 / part.length)));
    }
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  test('the stack has those of the causes, as far as they fit', () => {
    const cause = new RangeError('the cause');
    const { stack } = describeError(new Error('outer', { cause }));
    expect(stack).toMatch(/^Error: outer\n[^]*\ncaused by: RangeError: the cause\n/);
  });

  test('causes that go in circles end', () => {
    const error = new Error('x');
    error.stack = 'S';
    error.cause = error;
    expect(describeError(error).stack).toBe(['S', 'S', 'S', 'S', 'S'].join('\ncaused by: '));
  });
});

describe('signature', () => {
  const same = (messages: string[]) => [
    ...new Set(messages.map((message) => describeError(new Error(message)).signature)),
  ];

  test.each([
    [['timeout after 5000 ms', 'timeout after 30.5 ms'], 'timeout after <n> ms'],
    [['user 17 of 20 not found', 'user -1 of 3,000 not found'], 'user <n> of <n> not found'],
    [["no user 'ann'", "no user 'o. b.'"], 'no user <text>'],
    [['no user "a \\" b"', 'no user ""'], 'no user <text>'],
    [['table `orders` is gone', 'table `o` is gone'], 'table <text> is gone'],
    [
      ['order 1b4e28ba-2fa1-11d2-883f-0016d3cca427', 'order AAAAAAAA-0000-0000-0000-00000000000F'],
      'order <uuid>',
    ],
    [['at 0x7ffe', 'at 0xDEADBEEF'], 'at <hex>'],
    [['commit 8dc0c1a not found', 'commit 1600c4b9 not found'], 'commit <hex> not found'],
    [['no charge ch_3MmlLrLkdIwHu7ix', 'no charge ch_1AbC2dEf3GhI4jKl'], 'no charge <id>'],
    [['entry 1700000000000-0', 'entry 5-10'], 'entry <n><n>'],
    [['order-17 failed', 'order-18 failed'], 'order<n> failed'],
    [["can't reach it, won't try", "can't reach it, won't try"], "can't reach it, won't try"],
    [["can't find the users' list", "can't find the users' list"], "can't find the users' list"],
    [['a\n  b', 'a b'], 'a b'],
    [['bad input: café déjà', 'bad input: café déjà'], 'bad input: café déjà'],
  ])('%j are the same: %s', (messages, signature) => {
    expect(same(messages)).toEqual([`Error: ${signature}`]);
  });

  test('words stay: other causes are other signatures', () => {
    expect(same(['feed is empty', 'bed is empty', 'the facade is empty'])).toHaveLength(3);
  });
});
