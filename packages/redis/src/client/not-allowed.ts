import { isRsError, RsError } from '@rs/core';
import type { Script } from '../script/script.ts';

/** What is known of a call that the user may not make. */
export interface RefusedCall {
  readonly name: string;
  readonly script: Script | undefined;
  readonly keys: readonly string[];
}

/** Keys that are named: all keys of a task begin alike. */
const NAMED = 3;
const LINE = /@user_script:(\d+)/;
const COMMAND = /redis\.p?call\(\s*['"](\w+)['"]/;

/**
 * The reason as it is, but for what the rules of the user forbid: Redis says at most which command that is, seldom in which script, and
 * never which key.
 */
export function notAllowed(call: RefusedCall, reason: unknown): unknown {
  if (!isRsError(reason, 'RS_REDIS_AUTH') || !isForbidden(reason)) return reason;
  const command = commandOf(call.script, reason.message);
  const what = command === undefined ? '' : `; the command is ${command}`;
  const keys = call.keys.length === 0 ? '' : `; ${keysText(call.keys)}`;
  return new RsError(
    'RS_REDIS_AUTH',
    `${call.name} is not allowed: ${reason.message}${what}${keys}; correct the rules of the user with ACL SETUSER`,
    {
      cause: reason,
      details: {
        ...reason.details,
        name: call.name,
        keys: call.keys,
        ...(command === undefined ? {} : { command }),
      },
    },
  );
}

/** Not who the user is, but what it may do. */
function isForbidden({ details: { prefix } }: RsError): boolean {
  return prefix === 'NOPERM' || prefix === 'ERR' || prefix === '';
}

/** Redis before 7.2 tells the line of the script only. */
function commandOf(script: Script | undefined, message: string): string | undefined {
  const line = Number(LINE.exec(message)?.[1] ?? 0);
  return COMMAND.exec(script?.source.split('\n')[line - 1] ?? '')?.[1];
}

function keysText(keys: readonly string[]): string {
  const named = keys.slice(0, NAMED).join(', ');
  if (keys.length === 1) return `its key is ${named}`;
  return `its keys are ${named}${keys.length > NAMED ? ` and ${keys.length - NAMED} more` : ''}`;
}
