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
