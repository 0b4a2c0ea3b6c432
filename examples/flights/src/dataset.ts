import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Reads a file of the package `vega-datasets`, which exports its URLs but not its files. */
export async function readDataset(name: string): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('vega-datasets');
  return readFile(join(dirname(entry), '..', 'data', name), 'utf8');
}
