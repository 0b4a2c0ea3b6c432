import { describe, expect, test } from '@jest/globals';
import { checkObject } from './check-object.ts';

describe('checkObject', () => {
  test.each([[{}], [{ name: 'a' }], [Object.create(null)], [new (class {})()]])(
    '%p has options to read',
    (options) => {
      expect(() => checkObject(options, 'map: options')).not.toThrow();
    },
  );

  test.each<[unknown, string]>([
    [null, 'null'],
    [undefined, 'undefined'],
    ['fast', "'fast'"],
    [5, '5'],
    [5n, '5'],
    [true, 'true'],
    [Symbol('s'), 'Symbol(s)'],
    [() => ({}), 'a function'],
    [[{}], 'an array'],
  ])('%p is refused', (received, got) => {
    expect(() => checkObject(received, 'map: options')).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        message: `map: options must be an object, got ${got}`,
        details: { what: 'map: options', received },
      }),
    );
  });
});
