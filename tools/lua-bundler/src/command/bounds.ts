import type { Expression } from 'luaparse';
import { literalInteger, literalText } from '../program/literal.ts';

/** Why a call may take as long as the data is large; `undefined` when it does not. */
export type BoundRule = (args: readonly Expression[]) => string | undefined;

/** A command that has no limit. */
export function unlimited(why: string): BoundRule {
  return () => why;
}

/** A command that is limited by an option, such as `COUNT 100`. */
export function limitedBy(option: string, why: string): BoundRule {
  return (args) => (hasWord(args, option) ? undefined : `${why} without ${option}`);
}

/** `start stop` at places 1 and 2: to the end of what there is, unless both are counted from the same end. */
export const limitedRange: BoundRule = (args) => {
  const start = literalInteger(args[1]);
  const stop = literalInteger(args[2]);
  if (start === undefined || stop === undefined) return undefined;
  return start >= 0 && stop < 0 ? `it reaches from ${start} to the end (${stop})` : undefined;
};

/** ZRANGE and its kin: by rank a range, by score or name a limit. */
export const limitedSortedRange: BoundRule = (args) =>
  hasWord(args, 'BYSCORE') || hasWord(args, 'BYLEX')
    ? limitedBy('LIMIT', 'it reads all that is between its ends')(args)
    : limitedRange(args);

/** XTRIM with `~` deletes whole nodes, and no more of them than a limit of the server. */
export const approximateTrim: BoundRule = (args) =>
  hasWord(args, '~')
    ? undefined
    : 'it deletes all that is beyond its threshold at once; with ~ it has a limit';

function hasWord(args: readonly Expression[], word: string): boolean {
  return args.some((arg) => literalText(arg)?.toUpperCase() === word);
}
