/** What stands in a text for bytes that are none. */
const REPLACEMENT = '\ufffd';

/**
 * Makes text of the fields of entries where that loses nothing: it costs less to decode and to keep than bytes. Entries that are read
 * together are alike, so a place that had bytes once is not tried again.
 */
export class FieldReader {
  readonly #bytesAt: (true | undefined)[] = [];

  /** Puts text into the place of what is text. */
  read(fields: (string | Buffer)[]): void {
    for (let at = 0; at < fields.length; at++) {
      if (this.#bytesAt[at] !== true) fields[at] = this.#read(fields[at] as Buffer, at);
    }
  }

  #read(field: Buffer, at: number): string | Buffer {
    const { length } = field;
    if (length === 0) return '';
    const first = field[0] as number;
    // The names of what producers write: no text has to be made of these.
    if (length === 1 && first < 0x80) return String.fromCharCode(first);
    const text = field.toString();
    // One that was sent looks like one that was put in.
    if (!text.includes(REPLACEMENT)) return text;
    this.#bytesAt[at] = true;
    return field;
  }
}
