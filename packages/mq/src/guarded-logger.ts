import type { Logger } from '@rs/core';
import { refused } from './checks/checks.ts';

const METHODS = ['debug', 'info', 'warn', 'error'] as const;

/** Refuses what has not the four methods of a logger. */
export function checkLogger(logger: unknown, what: string): void {
  const methods = Object(logger) as Partial<Record<keyof Logger, unknown>>;
  const missing = METHODS.find((method) => typeof methods[method] !== 'function');
  if (missing === undefined) return;
  throw refused(what, `a logger with ${METHODS.join('(), ')}()`, logger);
}

/** A logger that never throws: what users hand over must not stop a loop that has something to say. */
export function guardedLogger(logger: Logger): Logger {
  const guard =
    (level: keyof Logger) =>
    (facts: object, message?: string): void => {
      try {
        logger[level](facts, message);
      } catch {
        // There is nobody left to tell.
      }
    };
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') };
}
