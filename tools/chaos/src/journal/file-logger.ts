import { closeSync, openSync, writeSync } from 'node:fs';
import { type Logger, RsError } from '@rs/core';
import { now } from '../time/now.ts';

/** Writes what the library says into a file, with the times of the journals. */
export function fileLogger(path: string): Logger {
  const file = openSync(path, 'a');
  process.once('exit', () => closeSync(file));
  const write =
    (level: string) =>
    (details: object, message: string): void => {
      writeSync(file, `${now().toFixed(1)} ${level} ${message} ${JSON.stringify(details, shorten)}\n`);
    };
  return { debug: () => undefined, info: write('info'), warn: write('warn'), error: write('error') };
}

function shorten(_: string, value: unknown): unknown {
  if (value instanceof RsError) return `${value.code}: ${value.message}`;
  return value instanceof Error ? value.message : value;
}
