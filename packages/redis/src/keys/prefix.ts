import { RsError } from '@rs/core';

/** What all keys begin with unless an instance is told otherwise. */
export const DEFAULT_PREFIX = 'rs';

const PREFIX = /^[A-Za-z0-9._:-]{1,64}$/;

/**
 * Checks what all keys of an instance begin with. Colons are welcome, braces are not: the first pair of them in a key decides
 * on its slot.
 *
 * @throws RsError `RS_INVALID_NAME` unless it matches `[A-Za-z0-9._:-]{1,64}`
 */
export function checkPrefix(prefix: string): string {
  if (typeof prefix === 'string' && PREFIX.test(prefix)) return prefix;
  const shown = typeof prefix === 'string' ? JSON.stringify(prefix) : typeof prefix;
  throw new RsError(
    'RS_INVALID_NAME',
    `a key prefix must be 1 to 64 of the characters A-Z a-z 0-9 . _ : - but is ${shown}`,
    { details: { what: 'a key prefix', received: prefix } },
  );
}
