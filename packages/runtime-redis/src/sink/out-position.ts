const LAST_ORDINAL = '18446744073709551615';

/** Id of an entry in an out log: the commit that wrote it, and its place among the results of that commit for that sink. */
export function outId(seq: number, ordinal: number): string {
  return `${seq}-${ordinal}`;
}

/** The commit that an entry is of. */
export function seqOf(id: string): number {
  return Number(id.slice(0, id.indexOf('-')));
}

/** The lowest id after this one. */
export function idAfter(id: string): string {
  const dash = id.indexOf('-');
  return outId(Number(id.slice(0, dash)), Number(id.slice(dash + 1)) + 1);
}

/** The highest id that an entry of this commit, or of an earlier one, can have. */
export function lastIdOfCommit(seq: number): string {
  return `${seq}-${LAST_ORDINAL}`;
}

/** Before all entries. */
export const NO_ID = '0-0';
