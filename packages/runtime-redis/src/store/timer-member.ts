import type { StoredTimer } from '@rs/runtime';
import { orderedBytes, orderedText } from './ordered-text.ts';

/** As in the kernel's identity of a timer, so that both order the timers of one time alike. No namespace has it. */
const SEPARATOR = '\u001f';

type TimerId = Pick<StoredTimer, 'time' | 'key' | 'namespace'>;

/**
 * What stands for a timer in a sorted set whose scores are times: `<time>,<key>␟<namespace>`. The time is part of it, since one key may
 * have timers at several times, and comes first, since Redis orders members of one score by their bytes: so they are ordered as they fire.
 */
export function timerMember({ time, key, namespace }: TimerId): string {
  return `${time},${key}${SEPARATOR}${namespace}`;
}

/** As it is sent. */
export const memberBytes = orderedBytes;

/** Where the time of a member ends. */
export function timeEnd(member: Buffer): number {
  return member.indexOf(COMMA);
}

const COMMA = 0x2c;

export function timeOf(member: Buffer): number {
  return Number(member.toString('latin1', 0, timeEnd(member)));
}

export function decodeTimer(member: Buffer): StoredTimer {
  const end = timeEnd(member);
  const id = orderedText(member.subarray(end + 1));
  const split = id.lastIndexOf(SEPARATOR);
  return {
    time: Number(member.toString('latin1', 0, end)),
    key: id.slice(0, split),
    namespace: id.slice(split + 1),
  };
}

/** A time as a score. */
export function scoreOf(time: number): string {
  if (time === Infinity) return '+inf';
  return time === -Infinity ? '-inf' : String(time);
}
