import { RsError } from '../errors/rs-error.ts';

/** Turns values into text or bytes and back, for state and messages. */
export interface Codec<T> {
  /** Recorded in the job's manifest; a change of codec under old data is noticed by it. */
  readonly name: string;
  /** @throws RsError `RS_INVALID_VALUE` when the value would not come back as it is */
  encode(value: T): string | Uint8Array;
  decode(data: string | Uint8Array): T;
  /** Throws as `encode` would, without encoding; engines that keep values in memory use it. */
  assertEncodable?(value: T): void;
}

/**
 * Refuses at declaration what could not store or read a value later. `undefined`, for the default codec, passes.
 *
 * @param what names the option in the message
 * @throws RsError `RS_INVALID_ARGUMENT` for what lacks `encode` or `decode`
 */
export function checkCodec(codec: unknown, what: string): void {
  if (codec === undefined) return;
  const { encode, decode } = (codec ?? {}) as Partial<Codec<unknown>>;
  if (typeof encode === 'function' && typeof decode === 'function') return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${what} must be an object with encode and decode; leave it out for the default, jsonCodec()`,
    { details: { what, received: codec } },
  );
}
