import { isUtf8 } from 'node:buffer';
import { RsError } from '@rs/core';

/** False for text with a lone surrogate, which UTF-8 would replace. */
export function survivesUtf8(text: string): boolean {
  // ES2024, in every Node.js that is supported; the types of the workspace are older.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/**
 * @param what names the data in the message
 * @throws RsError `RS_INVALID_VALUE` for bytes that are no UTF-8, which decoding would replace
 */
export function readUtf8(data: Buffer, what: string): string {
  const text = data.toString();
  // Only text with a replacement character can have lost something; it may also have been sent with one.
  if (text.includes('\ufffd') && !isUtf8(data)) {
    throw new RsError('RS_INVALID_VALUE', `${what} is not valid UTF-8`);
  }
  return text;
}
