import { refused } from '../checks/checks.ts';

/** Where a dead letter lies: its partition, and its id in the stream of that partition's dead letters. */
export interface DeadLetterPlace {
  readonly partition: number;
  readonly entry: string;
}

const ID = /^(0|[1-9]\d{0,8}):(\d{1,20}-\d{1,20})$/;

export function deadLetterId({ partition, entry }: DeadLetterPlace): string {
  return `${partition}:${entry}`;
}

/** @throws RsError `RS_INVALID_ARGUMENT` */
export function parseDeadLetterId(id: unknown, what: string): DeadLetterPlace {
  const [, partition, entry] = (typeof id === 'string' ? ID.exec(id) : null) ?? [];
  if (partition === undefined || entry === undefined) {
    throw refused(what, "the id of a dead letter, such as '0:1700000000000-0'", id);
  }
  return { partition: Number(partition), entry };
}
