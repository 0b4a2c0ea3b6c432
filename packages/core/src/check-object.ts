import { RsError } from './errors/rs-error.ts';

/**
 * Refuses what has no options to read: a call without types must not have them ignored, or fail with a bare `TypeError`.
 *
 * @param what names the options in the message, such as `map: options`
 * @throws RsError `RS_INVALID_ARGUMENT` for anything but an object; arrays and functions are none
 */
export function checkObject(options: unknown, what: string): void {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return;
  throw new RsError('RS_INVALID_ARGUMENT', `${what} must be an object, got ${shown(options)}`, {
    details: { what, received: options },
  });
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  return Array.isArray(value) ? 'an array' : String(value);
}
