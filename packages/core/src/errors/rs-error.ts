import { ERROR_CODES, type ErrorCode } from './codes.ts';
import { errorJson, type ErrorJson } from './error-json.ts';

const BRAND = Symbol.for('rs.error');

export interface RsErrorOptions {
  /** The error that led to this one. */
  readonly cause?: unknown;
  /** Machine-readable facts: operator, key, option name, received value … */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Overrides the code's default. */
  readonly retriable?: boolean;
}

/**
 * The one error class of @rs. The message says what happened, where, and what to do.
 *
 * `instanceof` compares a brand, not the prototype, so it also holds when two copies of @rs/core are loaded
 * (ESM and CommonJS side by side, Jest realms).
 */
export class RsError extends Error {
  readonly code: ErrorCode;
  readonly retriable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: RsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RsError';
    this.code = code;
    this.retriable = options.retriable ?? ERROR_CODES[code].retriable;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  /**
   * What `JSON.stringify` writes: name, message, code, retriable, details and the errors that led to it. What of that is no JSON is written as
   * text, so it never throws.
   */
  toJSON(): ErrorJson {
    return errorJson(this);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass inherits this method; the brand says nothing about it.
    if (this !== RsError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/** True when `value` is an {@link RsError}, and, when `code` is given, one with that code. */
export function isRsError(value: unknown, code?: ErrorCode): value is RsError {
  return value instanceof RsError && (code === undefined || value.code === code);
}
