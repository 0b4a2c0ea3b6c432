import { RsError } from '@rs/core';

/** Texts up to this length are copied here, unit by unit: calling into native code would take longer. */
const SHORT = 48;
/** Around an argument: its length, and the ends of two lines. */
const FRAME = 24;

const CR = 0x0d;
const LF = 0x0a;
const DOLLAR = 0x24;
const ASTERISK = 0x2a;
const ZERO = 0x30;

/** Puts the bytes of one command together. */
export class CommandWriter {
  #bytes: Buffer;
  #length = 0;

  /** @param size about how many bytes it will be */
  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  /** How many parts follow: the name and the arguments. */
  begin(parts: number): void {
    this.#reserve(FRAME);
    this.#head(ASTERISK, parts);
  }

  /** @throws RsError `RS_INVALID_ARGUMENT` for text with half a character */
  text(text: string): void {
    this.#reserve(text.length + FRAME);
    if (text.length <= SHORT && this.#ascii(text)) return;
    const length = Buffer.byteLength(text);
    // Only what goes beyond ASCII can be half of a character.
    if (length !== text.length && !isWellFormed(text)) throw halfCharacter(text);
    this.#reserve(length + FRAME);
    this.#head(DOLLAR, length);
    this.#length += this.#bytes.write(text, this.#length);
    this.#endLine();
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length + FRAME);
    this.#head(DOLLAR, bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#endLine();
  }

  end(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes a text as an argument. Returns false, with nothing written, when it goes beyond ASCII. */
  #ascii(text: string): boolean {
    const start = this.#length;
    this.#head(DOLLAR, text.length);
    const bytes = this.#bytes;
    let to = this.#length;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0x7f) {
        this.#length = start;
        return false;
      }
      bytes[to++] = unit;
    }
    this.#length = to;
    this.#endLine();
    return true;
  }

  #head(sign: number, count: number): void {
    this.#bytes[this.#length++] = sign;
    let unit = 1;
    while (unit * 10 <= count) unit *= 10;
    let rest = count;
    for (; unit >= 1; unit /= 10) {
      const digit = Math.floor(rest / unit);
      this.#bytes[this.#length++] = ZERO + digit;
      rest -= digit * unit;
    }
    this.#endLine();
  }

  #endLine(): void {
    this.#bytes[this.#length++] = CR;
    this.#bytes[this.#length++] = LF;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** In Node since 20, in TypeScript's library for ES2024. */
function isWellFormed(text: string & { isWellFormed?: () => boolean }): boolean {
  return text.isWellFormed?.() !== false;
}

function halfCharacter(text: string): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `text with a lone surrogate cannot be sent as UTF-8 without changing it: ${JSON.stringify(text)}; ` +
      'cut texts between characters, or pass bytes',
    { details: { received: text } },
  );
}
