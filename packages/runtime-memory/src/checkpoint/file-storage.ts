import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkpoint, type CheckpointStorage, RsError } from '@rs/core';
import { checkpointLines, parseCheckpoint } from './checkpoint-file.ts';
import { DirectoryLock } from './directory-lock.ts';

/**
 * Keeps checkpoints in a directory, one file each, and survives the process being killed at any moment: a file gets its name
 * once it is complete and on the disk. The directory serves one job, and one process at a time.
 *
 * Reading does not need the directory for oneself; everything else takes its lock, until {@link close} or the end of the
 * process, however that comes.
 */
export class FileCheckpointStorage implements CheckpointStorage {
  readonly #directory: string;
  readonly #lock: DirectoryLock;
  #opened: Promise<void> | undefined;

  /** @param directory is made when it is needed */
  constructor(directory: string) {
    if (typeof directory !== 'string' || directory === '') {
      throw new RsError('RS_INVALID_ARGUMENT', 'FileCheckpointStorage needs the path of a directory', {
        details: { received: directory },
      });
    }
    this.#directory = directory;
    this.#lock = new DirectoryLock(directory);
  }

  /** Takes the lock. @throws RsError `RS_CHECKPOINT_LOCKED` while another process, or another storage, has it */
  async open(): Promise<void> {
    this.#opened ??= this.#open();
    try {
      await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  /** @throws RsError `RS_CHECKPOINT_LOCKED`, `RS_INVALID_ARGUMENT` for a checkpoint that is not completed */
  async storeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const { checkpointId, completed } = checkpoint;
    if (!completed) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `checkpoint ${checkpointId} is not completed, so it is not stored`,
      );
    }
    await this.#own();
    const path = this.#pathOf(checkpointId);
    const unfinished = `${path}${UNFINISHED}`;
    await withFile(unfinished, 'w', async (file) => {
      for (const line of checkpointLines(checkpoint)) await file.writeFile(line);
      await file.sync();
    });
    await this.#lock.check(); // Writing may have taken long.
    await rename(unfinished, path);
    await this.#syncDirectory();
  }

  /** @throws RsError `RS_CHECKPOINT_CORRUPT` */
  async loadCheckpoint(checkpointId: number): Promise<Checkpoint | undefined> {
    const path = this.#pathOf(checkpointId);
    let data;
    try {
      data = await readFile(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    return parseCheckpoint(data, path);
  }

  /** @throws RsError `RS_CHECKPOINT_CORRUPT` when the newest one cannot be read: nobody but you may leave it out */
  async getLatestCheckpoint(): Promise<Checkpoint | undefined> {
    return (await this.listCheckpoints(1))[0];
  }

  /** @throws RsError `RS_CHECKPOINT_CORRUPT` */
  async listCheckpoints(limit: number): Promise<Checkpoint[]> {
    const checkpoints: Checkpoint[] = [];
    for (const id of await this.#ids()) {
      if (checkpoints.length >= limit) break;
      const checkpoint = await this.loadCheckpoint(id);
      if (checkpoint !== undefined) checkpoints.push(checkpoint); // Else it was removed meanwhile.
    }
    return checkpoints;
  }

  async deleteCheckpoint(checkpointId: number): Promise<boolean> {
    await this.#own();
    const deleted = await this.#delete(checkpointId);
    if (deleted) await this.#syncDirectory();
    return deleted;
  }

  async cleanupOldCheckpoints(keep: number): Promise<number> {
    await this.#own();
    let deleted = 0;
    for (const id of (await this.#ids()).slice(keep)) if (await this.#delete(id)) deleted++;
    return deleted;
  }

  /** Gives the lock back; whatever needs it later takes it again. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    await opened.catch(() => undefined);
    await this.#lock.release();
  }

  async #open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await this.#lock.acquire();
    // Nobody else writes here now, so this is what a crash has left.
    for (const name of await readdir(this.#directory))
      if (name.endsWith(UNFINISHED)) await rm(join(this.#directory, name), { force: true });
  }

  async #own(): Promise<void> {
    await this.open();
    await this.#lock.check();
  }

  /** Newest first. */
  async #ids(): Promise<number[]> {
    let names: string[];
    try {
      names = await readdir(this.#directory);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
    const ids = names.flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []).map(Number);
    return ids.sort((a, b) => b - a);
  }

  async #delete(checkpointId: number): Promise<boolean> {
    try {
      await unlink(this.#pathOf(checkpointId));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  #pathOf(checkpointId: number): string {
    return join(this.#directory, `checkpoint-${checkpointId}.jsonl`);
  }

  /** Only then a new name, or that one is gone, survives a crash of the machine. Windows has no such call, and needs none. */
  async #syncDirectory(): Promise<void> {
    if (process.platform !== 'win32') await withFile(this.#directory, 'r', (directory) => directory.sync());
  }
}

const FILE_NAME = /^checkpoint-(\d+)\.jsonl$/;
const UNFINISHED = '.unfinished';

async function withFile(
  path: string,
  flags: string,
  use: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ENOENT';
}
