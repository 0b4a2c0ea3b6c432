import { closeSync, openSync, writeSync } from 'node:fs';
import { Redis } from 'ioredis';
import { type Logger, RsError } from '@rs/core';
import { type Mq, createMq } from '@rs/mq';
import { now } from '../time/now.ts';
import type { WorkerConfig } from './config.ts';

/** An instance of the library for one worker, which writes its log beside the journal. */
export function connect({ port, journal }: WorkerConfig): Mq {
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true });
  return createMq({ redis, logger: fileLogger(`${journal}.log`) });
}

function fileLogger(path: string): Logger {
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
