import type { Logger } from '@rs/core';

export interface LogEntry {
  readonly level: keyof Logger;
  readonly facts: object;
  readonly message: string | undefined;
}

/** Keeps what is logged. */
export class RecordingLogger implements Logger {
  readonly entries: LogEntry[] = [];

  debug(facts: object, message?: string): void {
    this.entries.push({ level: 'debug', facts, message });
  }

  info(facts: object, message?: string): void {
    this.entries.push({ level: 'info', facts, message });
  }

  warn(facts: object, message?: string): void {
    this.entries.push({ level: 'warn', facts, message });
  }

  error(facts: object, message?: string): void {
    this.entries.push({ level: 'error', facts, message });
  }

  /** Each entry as `level message`. */
  lines(): string[] {
    return this.entries.map(({ level, message }) => `${level} ${message ?? ''}`);
  }
}
