import { isUtf8 } from 'node:buffer';
import { isWellFormed } from '../keys/safe-name.ts';

/**
 * Any text as bytes that are ordered as the text is (`compareText` of the kernel: by code point), and that give the text back. Well-formed
 * text is its UTF-8, so it stays as it is. Halves of a character (lone surrogates) have no UTF-8 and become bytes that UTF-8 never
 * has, in the place where the kernel orders them: a first half before all characters that begin with it, a second one after all
 * characters.
 */
export function orderedBytes(text: string): string | Buffer {
  if (isWellFormed(text)) return text;
  const parts: (string | Buffer)[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < FIRST_HALF || unit >= SURROGATES_END) continue;
    const paired = unit < SECOND_HALF && isSecondHalf(text.charCodeAt(at + 1));
    if (paired) {
      at++;
      continue;
    }
    parts.push(text.slice(from, at), unit < SECOND_HALF ? loneFirst(unit) : loneSecond(unit));
    from = at + 1;
  }
  parts.push(text.slice(from));
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** The text that {@link orderedBytes} made the bytes from. */
export function orderedText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead === SECOND_MARK) {
      text +=
        bytes.toString('utf8', from, at) +
        String.fromCharCode(SECOND_HALF + (bytes.readUInt16BE(at + 1) & 0x3ff));
      from = at + 3;
      at += 2;
    } else if (lead >= FOUR_BYTES) {
      if (bytes[at + 3] === FIRST_MARK) {
        const pair = Buffer.from(bytes.subarray(at, at + 4));
        pair[3] = 0x80;
        text += bytes.toString('utf8', from, at) + pair.toString().charAt(0);
        from = at + 4;
      }
      at += 3;
    }
  }
  return text + bytes.toString('utf8', from);
}

const FIRST_HALF = 0xd800;
const SECOND_HALF = 0xdc00;
const SURROGATES_END = 0xe000;
/** What characters of four bytes begin with, at least. */
const FOUR_BYTES = 0xf0;
/** No byte of UTF-8, above all of them. */
const SECOND_MARK = 0xf8;
/** Below all bytes that a character goes on with. */
const FIRST_MARK = 0x7f;

function isSecondHalf(unit: number): boolean {
  return unit >= SECOND_HALF && unit < SURROGATES_END;
}

function loneFirst(unit: number): Buffer {
  const bytes = Buffer.from(String.fromCharCode(unit, SECOND_HALF));
  bytes[3] = FIRST_MARK;
  return bytes;
}

function loneSecond(unit: number): Buffer {
  // The bits are spread so that the two bytes are ordered as the number is.
  const bits = unit - SECOND_HALF;
  return Buffer.from([SECOND_MARK, bits >> 8, bits & 0xff]);
}
