/**
 * A message as it lies in a stream: four fields, always these and in this order, so that Redis stores their names once
 * per node of the stream.
 *
 * | field | content |
 * |---|---|
 * | `m` | `1,<codec>,<k or ->,<event time or nothing>`: version, codec of `d`, whether there is a key, epoch milliseconds |
 * | `k` | the key as UTF-8, empty without one |
 * | `h` | the headers as a JSON object of texts, empty without any |
 * | `d` | the value, as the codec wrote it |
 *
 * Redis, scripts, retries and dead letters carry the four as they are: nothing on the way decodes them.
 */
export interface Envelope {
  readonly m: string | Buffer;
  readonly k: string | Buffer;
  readonly h: string | Buffer;
  readonly d: string | Buffer;
}
