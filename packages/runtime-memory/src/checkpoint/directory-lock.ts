import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { jsonCodec, RsError } from '@rs/core';

/** Who has a directory. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process was started, as the system tells it; a process that gets the same pid later has another one. */
  readonly started: string | undefined;
  /** Tells one lock from another one of the same process. */
  readonly token: string;
}

const HOLDER = jsonCodec<Holder>();
const NAME = 'lock';
/** The lock of somebody who is about to take it over: its name is followed by a token. */
const TAKE_OVER = /^lock\.[0-9a-f-]{36}$/;
const TAKEN_OVER = 'was taken over by another process';

/** A file that says which process uses a directory. It is left behind by a process that was killed, and then taken over. */
export class DirectoryLock {
  readonly path: string;
  readonly #directory: string;
  /** What this lock has written, while it is held. */
  #held: string | undefined;

  constructor(directory: string) {
    this.path = join(directory, NAME);
    this.#directory = directory;
  }

  /** @throws RsError `RS_CHECKPOINT_LOCKED` while another one holds it */
  async acquire(): Promise<void> {
    const { pid } = process;
    const holder = { pid, host: hostname(), started: await startOf(pid), token: randomUUID() };
    const text = HOLDER.encode(holder) as string;
    if (!(await this.#create(text))) await this.#takeOver(text, holder.token);
    this.#held = text;
    await this.check();
    await this.#removeTakeOvers();
  }

  /** @throws RsError `RS_CHECKPOINT_LOCKED` when somebody has taken it over */
  async check(): Promise<void> {
    const found = await this.#read();
    if (this.#held !== undefined && found === this.#held) return;
    this.#held = undefined;
    throw this.#locked(found === undefined ? 'was removed' : TAKEN_OVER);
  }

  async release(): Promise<void> {
    if (this.#held !== undefined && (await this.#read()) === this.#held) await rm(this.path, { force: true });
    this.#held = undefined;
  }

  async #create(text: string): Promise<boolean> {
    try {
      await writeFile(this.path, text, { flag: 'wx' });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Where two do this at the same time, the last one has it, and the other one finds out before it writes anything. */
  async #takeOver(text: string, token: string): Promise<void> {
    const found = await this.#read();
    const holder = found === undefined ? undefined : parsed(found);
    if (holder !== undefined && (await isAlive(holder)))
      throw this.#locked(`is held by process ${holder.pid} on ${holder.host}`);
    const own = `${this.path}.${token}`; // Not the pid: processes in containers often have equal ones.
    await writeFile(own, text);
    try {
      await rename(own, this.path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw this.#locked(TAKEN_OVER); // By one that has removed the file.
      throw error;
    }
  }

  /** What is left of processes that were killed while they took it over, or is of one that comes too late. */
  async #removeTakeOvers(): Promise<void> {
    for (const name of await readdir(this.#directory))
      if (TAKE_OVER.test(name)) await rm(join(this.#directory, name), { force: true });
  }

  async #read(): Promise<string | undefined> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #locked(reason: string): RsError {
    return new RsError(
      'RS_CHECKPOINT_LOCKED',
      `the lock of the checkpoint directory ${reason}; a directory serves one job at a time. End or close() the other one; ` +
        `if there is none any more, delete ${this.path}`,
      { details: { path: this.path } },
    );
  }
}

/** `undefined` for text that was written by a process which was killed meanwhile. */
function parsed(text: string): Holder | undefined {
  try {
    return HOLDER.decode(text);
  } catch {
    return undefined;
  }
}

/** Nobody can tell whether a process on another machine is alive. */
async function isAlive({ pid, host, started }: Holder): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
  const now = await startOf(pid);
  return started === undefined || now === undefined || started === now;
}

/** Where Linux tells it: ticks since the machine was started. A container often gives each process the same pid. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}
