/** A logger with pino's calling convention: facts first, then the message. */
export interface Logger {
  debug(facts: object, message?: string): void;
  info(facts: object, message?: string): void;
  warn(facts: object, message?: string): void;
  error(facts: object, message?: string): void;
}

const ignore = (): void => undefined;

/** Says nothing; the default of libraries. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
