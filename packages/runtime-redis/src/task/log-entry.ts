import type { Message } from '@rs/core';
import { type Codecs, decodeEnvelope, envelopeOf } from '@rs/mq';

/** An entry of a partition's log as it was read. */
export interface LogEntry {
  readonly id: string;
  /** Names and values in turn: text that says exactly what the log holds, else bytes. */
  readonly fields: readonly (string | Buffer)[];
  /** Of names and values in the log. */
  readonly bytes: number;
}

/** Makes messages of the entries of one partition. @throws RsError `RS_INVALID_VALUE` for an entry that is no message */
export function decoderOf(
  topic: string,
  partition: number,
  codecs: Codecs,
): (entry: LogEntry) => Message<unknown> {
  return ({ id, fields }) => decodeEnvelope(id, topic, partition, envelopeOf(fields), codecs);
}
