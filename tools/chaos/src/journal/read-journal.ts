import { readFile } from 'node:fs/promises';
import type { Stamped } from './journal.ts';

/** All entries of a journal; none when its process never came to write one. A last line that is not complete is left out. */
export async function readJournal<E extends Stamped>(path: string): Promise<E[]> {
  try {
    return parseJournal<E>(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function parseJournal<E extends Stamped>(text: string): E[] {
  const lines = text.split('\n');
  // Empty after a line break: the process was killed in the middle of a line otherwise.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as E);
}
