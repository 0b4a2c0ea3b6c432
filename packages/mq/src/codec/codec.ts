import { RsError, checkName } from '@rs/core';

/**
 * Turns values into bytes and back. Its name stands in every message that it wrote, so that readers take the codec of the
 * message, not one of their own: producers may change theirs at any time.
 */
export interface MessageCodec {
  /** `[A-Za-z0-9._-]{1,128}`. Never give the name of one format to another: messages that were written stay. */
  readonly name: string;
  /**
   * Text is stored as UTF-8. What it throws rejects the send: `RS_INVALID_VALUE`, with it as the cause.
   *
   * @param value never `undefined`
   */
  encode(value: unknown): string | Buffer;
  /** What it throws makes the message a dead letter. `data` may be kept: nobody writes to it again. */
  decode(data: Buffer): unknown;
  /**
   * The same for stored bytes that are well-formed UTF-8, whoever wrote them as what. Leave it out if values are bytes: without it
   * `decode` is called.
   */
  decodeText?(text: string): unknown;
}

/**
 * @param what names the option in the message
 * @throws RsError `RS_INVALID_ARGUMENT` for what lacks `encode` or `decode`, `RS_INVALID_NAME`
 */
export function checkMessageCodec(codec: MessageCodec, what: string): MessageCodec {
  const { name, encode, decode, decodeText } = (codec ?? {}) as Partial<MessageCodec>;
  const readsText = decodeText === undefined || typeof decodeText === 'function';
  if (typeof encode !== 'function' || typeof decode !== 'function' || !readsText) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${what} must be an object with name, encode and decode (and decodeText, or none), such as jsonCodec()`,
      { details: { what, received: codec } },
    );
  }
  checkName(name as string, `${what}: its name`);
  return codec;
}
