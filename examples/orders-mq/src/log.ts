import type { Logger } from '@rs/mq';

/** One JSON object per line on stdout; pino does the same, and fits in its place. */
export function jsonLines(): Logger {
  const write =
    (level: string) =>
    (facts: object, message = ''): void => {
      process.stdout.write(`${JSON.stringify({ level, message, ...facts }, readable)}\n`);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function readable(_: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
