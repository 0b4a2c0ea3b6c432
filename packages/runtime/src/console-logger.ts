import { inspect } from 'node:util';
import type { Logger } from '@rs/core';

/**
 * The default logger of engines: what `print` writes, warnings and errors, as lines on stderr, so that stdout stays the
 * program's.
 */
export function consoleLogger(
  write: (text: string) => void = (text) => void process.stderr.write(text),
): Logger {
  const problem = (level: string) => (facts: object, message?: string) => {
    const { error } = facts as { error?: unknown };
    const reason = error instanceof Error ? `: ${error.message}` : '';
    write(`${level} ${message ?? shown(facts)}${reason}\n`);
  };
  return {
    debug: () => undefined,
    info: (facts, message) => {
      if ((facts as { component?: unknown }).component === 'print') write(`${message ?? ''}\n`);
    },
    warn: problem('WARN'),
    error: problem('ERROR'),
  };
}

function shown(facts: object): string {
  try {
    return JSON.stringify(facts);
  } catch {
    return inspect(facts, { breakLength: Infinity }); // A logger never throws.
  }
}
