import { createHash } from 'node:crypto';
import { type Checkpoint, jsonCodec, RsError } from '@rs/core';
import { newCheckpoint } from '@rs/runtime';

/**
 * The text of a checkpoint, line by line: a header, `[name, part]` for each part, and a checksum of all that, so that a file
 * that was cut off or changed is noticed. A line is written when it is asked for, so that no text is larger than a part.
 */
export function* checkpointLines(checkpoint: Checkpoint): Generator<string, void> {
  const hash = createHash('sha256');
  const line = (value: unknown): string => {
    const text = `${JSON_LINES.encode(value) as string}\n`;
    hash.update(text);
    return text;
  };
  const { checkpointId, timestamp } = checkpoint;
  const header: Header = { format: FORMAT, version: VERSION, checkpointId, timestamp };
  yield line(header);
  for (const name of checkpoint.getKeys()) yield line([name, checkpoint.getState(name)]);
  yield `${JSON_LINES.encode({ sha256: hash.digest('hex') } satisfies Trailer) as string}\n`;
}

/**
 * The checkpoint that a file holds.
 *
 * @param path for the message
 * @throws RsError `RS_CHECKPOINT_CORRUPT`
 */
export function parseCheckpoint(data: Buffer, path: string): Checkpoint {
  const end = data.lastIndexOf(NEWLINE, data.length - 2) + 1;
  const trailer = decoded<Partial<Trailer>>(data.subarray(end), path);
  const sha256 = createHash('sha256').update(data.subarray(0, end)).digest('hex');
  if (trailer.sha256 !== sha256) throw corrupt(path, 'its checksum is wrong: it was cut off or changed');
  const [first, ...lines] = linesOf(data.subarray(0, end));
  const header = first === undefined ? undefined : decoded<Partial<Header>>(first, path);
  if (header?.format !== FORMAT || header.version !== VERSION)
    throw corrupt(path, `it is of another kind or version than ${FORMAT} ${VERSION}`);
  const { checkpointId, timestamp } = header as Header;
  const parts = new Map(lines.map((line) => decoded<readonly [name: string, part: unknown]>(line, path)));
  return newCheckpoint({ checkpointId, timestamp, parts });
}

const FORMAT = 'rs-checkpoint';
const VERSION = 1;
const NEWLINE = 10;
const JSON_LINES = jsonCodec<unknown>();

interface Header {
  readonly format: string;
  readonly version: number;
  readonly checkpointId: number;
  readonly timestamp: number;
}

interface Trailer {
  readonly sha256: string;
}

/** Each without its end. JSON text has no line breaks of its own. */
function linesOf(data: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < data.length;) {
    const end = data.indexOf(NEWLINE, start);
    lines.push(data.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

function decoded<T>(line: Buffer, path: string): T {
  try {
    return JSON_LINES.decode(line.toString('utf8')) as T;
  } catch (error) {
    throw corrupt(path, 'it is no text of a checkpoint', error);
  }
}

function corrupt(path: string, reason: string, cause?: unknown): RsError {
  return new RsError(
    'RS_CHECKPOINT_CORRUPT',
    `the checkpoint in ${path} cannot be read: ${reason}. Delete the file, to begin from the checkpoint before`,
    { cause, details: { path } },
  );
}
