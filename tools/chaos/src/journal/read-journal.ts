import { readFile } from 'node:fs/promises';
import type { Entry } from './entry.ts';

/** All entries of a journal; none when its process never came to write one. A last line that is not complete is left out. */
export async function readJournal(path: string): Promise<Entry[]> {
  try {
    return parseJournal(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function parseJournal(text: string): Entry[] {
  const lines = text.split('\n');
  // Empty after a line break: the process was killed in the middle of a line otherwise.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as Entry);
}
