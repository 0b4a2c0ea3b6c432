import type { Logger } from '@rs/core';

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
