import { RsError, type ErrorCode } from '@rs/core';

/** What Redis says before it executes anything, so that the same command can be sent again once the reason is gone. */
const REFUSED: ReadonlySet<string> = new Set([
  'ASK',
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'MOVED',
  'NOREPLICAS',
  'NOSCRIPT',
  'OOM',
  'READONLY',
  'TRYAGAIN',
]);

const NOT_ALLOWED: ReadonlySet<string> = new Set(['DENIED', 'NOAUTH', 'NOPERM', 'WRONGPASS']);

/** What Redis before 7.2 says to a script whose user may not run a command or use a key: without a word of its own. */
const NOT_ALLOWED_IN_SCRIPT = /^(?:ERR )?The user executing the script can't /;

const PREFIX = /^[A-Z][A-Z0-9_]*(?= |$)/;
const REDIRECTION = /^(?:MOVED|ASK) (\d+) (.*):(\d+)$/;

/**
 * An error reply as an error, for drivers: by its first word, since that is all that Redis promises about it. (The exception: what a
 * user may not do in a script had no such word before Redis 7.2.)
 *
 * `RS_REDIS_REFUSED` (retriable) is for what Redis refused before it executed anything, `RS_REDIS_AUTH` for a user or
 * password that is wrong or may not do this, `RS_REDIS_REPLY` for everything else. `details` have the `reply` and its
 * `prefix`, `''` when there is none; after MOVED and ASK also `slot`, `host` and `port`. An empty `host` stands for
 * the one that was asked.
 */
export function replyError(reply: string): RsError {
  const prefix = PREFIX.exec(reply)?.[0] ?? '';
  return new RsError(codeOf(prefix, reply), `Redis replied: ${reply}`, {
    details: { reply, prefix, ...redirection(reply) },
  });
}

function codeOf(prefix: string, reply: string): ErrorCode {
  if (REFUSED.has(prefix)) return 'RS_REDIS_REFUSED';
  const forbidden = NOT_ALLOWED.has(prefix) || NOT_ALLOWED_IN_SCRIPT.test(reply);
  return forbidden ? 'RS_REDIS_AUTH' : 'RS_REDIS_REPLY';
}

function redirection(reply: string): { slot?: number; host?: string; port?: number } {
  const [, slot, host, port] = REDIRECTION.exec(reply) ?? [];
  if (slot === undefined || host === undefined || port === undefined) return {};
  return { slot: Number(slot), host, port: Number(port) };
}
