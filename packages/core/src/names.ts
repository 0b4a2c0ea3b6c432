import { RsError } from './errors/rs-error.ts';

const NAME = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Checks a name that becomes part of keys (uid, state, topic, group, tag). Refusing everything that could be
 * mistaken for a separator makes it impossible for two names to meet in one key.
 *
 * @throws RsError `RS_INVALID_NAME` unless it matches `[A-Za-z0-9._-]{1,128}`
 */
export function checkName(name: string, what: string): string {
  if (typeof name !== 'string' || !NAME.test(name)) {
    const shown = typeof name === 'string' ? JSON.stringify(name) : typeof name;
    throw new RsError(
      'RS_INVALID_NAME',
      `${what} must be 1 to 128 of the characters A-Z a-z 0-9 . _ - but is ${shown}`,
      { details: { what, received: name } },
    );
  }
  return name;
}
