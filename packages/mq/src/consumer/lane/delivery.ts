import type { QueueEntry } from '../dispatch/queue-entry.ts';

/** An entry on its way through a lane: from being read until its outcome is stored. */
export interface Delivery extends QueueEntry {
  /** Id in the stream it was read from. */
  readonly id: string;
  /** Read from what is delivered to the group again, not from the log. */
  readonly redelivered: boolean;
  /** Id of the message: that of its first entry, also when it is redelivered. */
  readonly messageId: string;
  /** The envelope as it was read, untouched; parts are missing where the entry is none. */
  readonly m: Buffer | undefined;
  readonly k: Buffer | undefined;
  readonly h: Buffer | undefined;
  readonly d: Buffer | undefined;
  /** Names and values in turn of an entry that is no envelope: it becomes a dead letter as it is. */
  readonly foreign: readonly Buffer[] | undefined;
  readonly bytes: number;
  /** For the order of keys; `undefined` without a key, and where order does not look at keys. */
  readonly key: string | undefined;
  /** Place in the table of what is not settled; `undefined` for redelivered entries, which no watermark counts. */
  readonly place: number | undefined;
  /** Attempts that failed. */
  failed: number;
  /** It counts among the messages in flight. One that was parked once counts as parked instead. */
  counted: boolean;
  /** Taken over from an owner that may have crashed on it, and not run since. */
  suspect: boolean;
  /** Redis knows of failed attempts or a due time, which are to be forgotten with the outcome. */
  recorded: boolean;
}

/** How scripts name an entry where both kinds stand in one list. */
export function nameOf(delivery: Delivery): string {
  return delivery.redelivered ? `r${delivery.id}` : delivery.id;
}

/** More fields than a script can hand on at once. */
const MAX_FIELDS = 2_000;

/**
 * Names and values of an entry in turn, as they were read. An entry that is no envelope and has more than anybody writes on purpose
 * becomes one field, `foreign`: a JSON array of them all in base64.
 */
export function fieldsOf({ m, k, h, d, foreign }: Delivery): readonly (string | Buffer)[] {
  if (foreign !== undefined && foreign.length > MAX_FIELDS) {
    return ['foreign', JSON.stringify(foreign.map((field) => field.toString('base64')))];
  }
  return foreign ?? ['m', m ?? '', 'k', k ?? '', 'h', h ?? '', 'd', d ?? ''];
}
