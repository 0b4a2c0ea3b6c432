import { strict as assert } from 'node:assert';
import type { RedisArgument } from '../../driver/driver.ts';
import { ask, assertError, failure, first } from '../bench.ts';
import { type CaseDefinition, onServer } from '../driver-case.ts';

const TEXTS = {
  nothing: '',
  'a NUL': 'a\0b',
  'line ends': 'a\r\nb\n',
  'a letter beyond ASCII': 'é',
  Chinese: '订单',
  'from right to left': 'שלום',
  'an emoji': '🙂',
};

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);

const BYTES: Readonly<Record<string, Uint8Array>> = {
  nothing: new Uint8Array(0),
  'what is not UTF-8': Uint8Array.of(0xc3, 0x28, 0x00, 0xff),
  'every byte': ALL_BYTES,
  'a part of a buffer': Buffer.from('abcdef').subarray(2, 4),
  'a view that is no Buffer': new Uint8Array(ALL_BYTES.buffer, 10, 20),
};

const NUMBERS: readonly (readonly [number, string])[] = [
  [0, '0'],
  [-0, '0'],
  [-17, '-17'],
  [0.5, '0.5'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  [1e21, '1000000000000000000000'],
];

export const argumentCases: readonly CaseDefinition[] = [
  ...Object.entries(TEXTS).map(([name, text]) =>
    onServer(`text arrives as UTF-8: ${name}`, async (bench) => {
      const connection = await bench.open();
      const key = bench.key('text');
      const [, length, bytes, read] = await connection.send([
        { name: 'SET', args: [key, text] },
        { name: 'STRLEN', args: [key] },
        { name: 'GET', args: [key], binary: true },
        { name: 'GET', args: [key] },
      ]);
      assert.equal(length, Buffer.byteLength(text));
      assert.deepEqual(bytes, Buffer.from(text));
      assert.equal(read, text);
    }),
  ),

  ...Object.entries(BYTES).map(([name, bytes]) =>
    onServer(`bytes arrive untouched: ${name}`, async (bench) => {
      const connection = await bench.open();
      const key = bench.key('bytes');
      const [, read] = await connection.send([
        { name: 'SET', args: [key, bytes] },
        { name: 'GET', args: [key], binary: true },
      ]);
      assert.ok(Buffer.isBuffer(read), 'a binary reply is a Buffer');
      assert.deepEqual([...read], [...bytes]);
    }),
  ),

  onServer('text, bytes and numbers mix in one command', async (bench) => {
    const connection = await bench.open();
    const key = bench.key('mixed');
    const values = ['é', Uint8Array.of(0xff), 7, '', Uint8Array.of(), 'z'];
    await ask(connection, 'RPUSH', key, ...values);
    const read = first(await connection.send([{ name: 'LRANGE', args: [key, 0, -1], binary: true }]));
    const expected = values.map((value) => Buffer.from(typeof value === 'number' ? String(value) : value));
    assert.deepEqual(read, expected);
  }),

  ...NUMBERS.map(([value, text]) =>
    onServer(`numbers are decimal: ${Object.is(value, -0) ? '-0' : value} is ${text}`, async (bench) => {
      const connection = await bench.open();
      const key = bench.key('number');
      await ask(connection, 'SET', key, value);
      assert.equal(await ask(connection, 'GET', key), text);
    }),
  ),

  ...[Number.NaN, Infinity, -Infinity, '\ud83d'].map((value) =>
    onServer(
      `${typeof value === 'string' ? 'half a character' : value} is refused, and nothing of its send is written`,
      async (bench) => {
        const connection = await bench.open();
        const key = bench.key('refused');
        const error = await failure(
          connection.send([
            { name: 'SET', args: [key, 'x'] },
            { name: 'SET', args: [key, value] },
          ]),
        );
        assertError(error, 'RS_INVALID_ARGUMENT');
        assert.equal(await ask(connection, 'GET', key), null);
      },
    ),
  ),

  onServer('ten thousand arguments and a megabyte are one command', async (bench) => {
    const connection = await bench.open();
    const key = bench.key('large');
    const large = Buffer.alloc(1_048_576, 0xfe);
    const values: RedisArgument[] = Array.from({ length: 10_000 }, (_, index) => `value-${index}`);
    assert.equal(await ask(connection, 'RPUSH', key, large, ...values), 10_001);
    const [bytes, text] = await connection.send([
      { name: 'LINDEX', args: [key, 0], binary: true },
      { name: 'LINDEX', args: [key, -1] },
    ]);
    assert.deepEqual(bytes, large);
    assert.equal(text, 'value-9999');
  }),
];
