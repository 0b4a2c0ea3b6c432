import { RsError, isRsError } from '@rs/core';
import type { RedisCommand, RedisConnection, RedisReply } from '../driver.ts';

export interface Handshake {
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly db?: number | null | undefined;
  /** A Sentinel said that this is the master: it may be behind. */
  readonly mustBeMaster: boolean;
}

/**
 * Signs in, selects the database, and sees that the server answers. A server that refuses commands for the moment
 * (LOADING and the like) counts as connected: who sends one shall know.
 *
 * @throws RsError as `RedisDriver.connect`
 */
export async function shakeHands(connection: RedisConnection, handshake: Handshake): Promise<void> {
  const { username, password, db, mustBeMaster } = handshake;
  const steps: { readonly command: RedisCommand; readonly check: (reply: RedisReply) => void }[] = [];
  const at = `${connection.node.host}:${connection.node.port}`;
  if (isGiven(password)) {
    const args = isGiven(username) ? [username, password] : [password];
    steps.push({ command: { name: 'AUTH', args }, check: (reply) => checkAuth(reply, at) });
  }
  if (db !== undefined && db !== null && db !== 0) {
    steps.push({ command: { name: 'SELECT', args: [db] }, check: (reply) => checkSelect(reply, at, db) });
  }
  const last = mustBeMaster ? 'ROLE' : 'PING';
  steps.push({ command: { name: last, args: [] }, check: (reply) => checkLast(reply, at) });

  // One by one, all at once: a server that has no room says so to the first, and hangs up.
  const replies = await Promise.allSettled(steps.map(({ command }) => connection.send([command])));
  for (const [index, { check }] of steps.entries()) {
    const result = replies[index];
    if (result?.status === 'rejected') throw result.reason;
    check(result?.value[0] ?? null);
  }
}

function checkAuth(reply: RedisReply, at: string): void {
  if (!isRsError(reply)) return;
  if (reply.code === 'RS_REDIS_AUTH') throw notSignedIn(reply, at);
  // A server without a password takes none, and lets everybody in; if it does not, the last step shows it.
  if (!reply.message.includes('without any password configured')) throw unusable(reply, at);
}

function checkSelect(reply: RedisReply, at: string, db: number): void {
  if (!isRsError(reply)) return;
  if (reply.code === 'RS_REDIS_AUTH') throw notSignedIn(reply, at);
  if (!/DB index|cluster mode/.test(reply.message)) throw unusable(reply, at);
  throw new RsError(
    'RS_REDIS_CONFIG',
    `Redis at ${at} has no database ${db}: ${String(reply.details.reply)}; correct \`db\` in the options of ioredis`,
    { cause: reply, details: { db } },
  );
}

function checkLast(reply: RedisReply, at: string): void {
  if (isRsError(reply)) {
    // A user who may do little may nevertheless do what is needed.
    if (reply.code === 'RS_REDIS_REFUSED' || reply.details.prefix === 'NOPERM') return;
    throw reply.code === 'RS_REDIS_AUTH' ? notSignedIn(reply, at) : unusable(reply, at);
  }
  const role = Array.isArray(reply) ? (reply as readonly RedisReply[])[0] : undefined;
  if (role === undefined || role === 'master') return;
  throw new RsError(
    'RS_REDIS_UNAVAILABLE',
    `the Sentinels name ${at} as the master, but it is a ${String(role)}: a failover is under way`,
  );
}

function notSignedIn(reply: RsError, at: string): RsError {
  return new RsError(
    'RS_REDIS_AUTH',
    `Redis at ${at} refuses to let us in: ${String(reply.details.reply)}; check user and password in the options of ioredis`,
    { cause: reply, details: reply.details },
  );
}

function unusable(reply: RsError, at: string): RsError {
  return new RsError(
    'RS_REDIS_UNAVAILABLE',
    `Redis at ${at} cannot be used: ${String(reply.details.reply)}`,
    {
      cause: reply,
      details: reply.details,
    },
  );
}

function isGiven(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text !== '';
}
