export type FindingCode =
  | 'unreachable'
  | 'product'
  | 'version'
  | 'topology'
  | 'role'
  | 'eviction'
  | 'persistence'
  | 'config-hidden'
  | 'clock'
  | 'memory'
  | 'replication'
  | 'latency';

/** One thing that was looked at, as plain data. */
export interface Finding {
  readonly code: FindingCode;
  /** `error`: data will be lost or nothing will work · `warning`: know about it · `ok`: as it should be. */
  readonly level: 'ok' | 'warning' | 'error';
  /** The node, as `host:port`; `redis` where nobody could be asked. */
  readonly subject: string;
  readonly message: string;
  /** What to do. Empty for `ok`. */
  readonly advice: string;
}

/** A finding without its subject, as rules give it. */
export type Verdict = Omit<Finding, 'subject'>;

export function ok(code: FindingCode, message: string): Verdict {
  return { code, level: 'ok', message, advice: '' };
}

export function warning(code: FindingCode, message: string, advice: string): Verdict {
  return { code, level: 'warning', message, advice };
}

export function error(code: FindingCode, message: string, advice: string): Verdict {
  return { code, level: 'error', message, advice };
}
