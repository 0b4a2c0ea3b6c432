import fc from 'fast-check';

/** Texts of any code units, among them lone surrogates and words that are properties of Object. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 3 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '__proto__', 'constructor', 'toString', '1', 'n:1', 'a[', '3:s:a'),
);

const numbers = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 0, 1, Number.MAX_SAFE_INTEGER, 5e-324),
);

const primitives = fc.oneof(texts, numbers, fc.bigInt({ min: -3n, max: 3n }), fc.boolean());

/** Anything that is a key. */
export const keys: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  key: fc.oneof(
    { depthSize: 'small' },
    primitives,
    fc.uint8Array({ maxLength: 3 }),
    tie('array'),
    tie('object'),
  ),
  part: fc.oneof(fc.constant(null), tie('key')),
  array: fc.array(tie('part'), { maxLength: 3 }),
  object: fc
    .array(fc.tuple(texts, tie('part')), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries) as unknown),
})).key;

/** The same key with the properties of its objects in another order. */
export function shuffled(key: unknown, seed: number): unknown {
  if (typeof key !== 'object' || key === null || key instanceof Uint8Array) return key;
  if (Array.isArray(key)) return key.map((part) => shuffled(part, seed));
  const entries = Object.entries(key).map(([name, part]) => [name, shuffled(part, seed)] as const);
  return Object.fromEntries(
    [
      ...entries.slice(seed % (entries.length + 1)),
      ...entries.slice(0, seed % (entries.length + 1)),
    ].reverse(),
  );
}
