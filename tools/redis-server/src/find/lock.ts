import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Holds the lock until its standard input closes. Perl is part of every Debian, and Node.js has no such call. */
const HOLD = 'open(L, ">>", $ARGV[0]) && flock(L, 2) or die; $| = 1; print "held\\n"; <STDIN>;';

/**
 * Runs `work` while no other process that asks for the same lock runs its own. The lock is the kernel's (flock): it is
 * free as soon as its holder ends, however that ends, so there is no stale lock to recognize.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn('perl', ['-e', HOLD, file], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(holder, 'close');
  try {
    const held: unknown = await Promise.race([once(holder.stdout, 'data'), ended.then(() => undefined)]);
    if (held === undefined) throw new Error(`No lock on ${file}: can it be written?`);
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}
