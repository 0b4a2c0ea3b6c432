import type { Message } from '@rs/core';
import { type Codecs, decodeEnvelope, envelopeOf, isTextEnvelope } from '@rs/mq';

/** An entry of a partition's log as it was read. */
export interface LogEntry {
  readonly id: string;
  /** Names and values in turn: bytes, or text that is as good. */
  readonly fields: readonly (string | Buffer)[];
  /** Bytes of names and values; of text its length. */
  readonly bytes: number;
}

/** Says whether entries lose nothing when they are read as text. */
export function textTestOf(codecs: Codecs): (entry: LogEntry) => boolean {
  return ({ fields }) => fields.length === 8 && isTextEnvelope(envelopeOf(fields), codecs);
}

/** Makes messages of the entries of one partition. @throws RsError `RS_INVALID_VALUE` for an entry that is no message */
export function decoderOf(
  topic: string,
  partition: number,
  codecs: Codecs,
): (entry: LogEntry) => Message<unknown> {
  return ({ id, fields }) => decodeEnvelope(id, topic, partition, envelopeOf(fields), codecs);
}
