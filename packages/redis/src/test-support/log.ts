import type { Logger } from '@rs/core';

/** A logger that keeps what it is told, as `level message`. */
export interface LogBook extends Logger {
  readonly lines: string[];
}

export function logBook(): LogBook {
  const lines: string[] = [];
  const note =
    (level: string) =>
    (_: object, message = ''): void => {
      lines.push(`${level} ${message}`);
    };
  return { lines, debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
}
