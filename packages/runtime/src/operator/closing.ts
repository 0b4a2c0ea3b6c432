import type { Logger } from '@rs/core';
import { isPromise } from '../promise.ts';

/** Errors on the way out are told, not thrown: they must not hide the run's own result. */
export function logCloseError(logger: Logger, name: string, error: unknown): void {
  logger.warn({ component: 'runtime', operator: name, error }, `${name} failed to close`);
}

/** Closes without waiting; what goes wrong is told, also when the close turns out to be asynchronous. */
export function closeQuietly(close: () => unknown, name: string, logger: Logger): void {
  try {
    const result = close();
    if (isPromise(result)) result.then(undefined, (error: unknown) => logCloseError(logger, name, error));
  } catch (error) {
    logCloseError(logger, name, error);
  }
}
