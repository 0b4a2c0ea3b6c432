/**
 * Every error code of @rs. A code never changes its meaning; tests and callers match on codes, never on messages.
 * `retriable` says whether the same call can succeed later without a change by the caller.
 */
export const ERROR_CODES = {
  RS_INVALID_ARGUMENT: { retriable: false },
  RS_INVALID_DURATION: { retriable: false },
  RS_INVALID_TIMESTAMP: { retriable: false },
  RS_INVALID_NAME: { retriable: false },
  RS_INVALID_KEY: { retriable: false },
  RS_INVALID_VALUE: { retriable: false },
  RS_DUPLICATE_UID: { retriable: false },
  RS_DUPLICATE_SUBSCRIPTION: { retriable: false },
  RS_UNKNOWN_TOPIC: { retriable: false },
  RS_NOT_COLOCATED: { retriable: false },
  RS_NOT_COPARTITIONED: { retriable: false },
  RS_NO_SINK: { retriable: false },
  RS_ALREADY_EXECUTED: { retriable: false },
  RS_UNSUPPORTED: { retriable: false },
  RS_ASYNC_IN_EAGER_RUN: { retriable: false },
  RS_ASYNC_NOT_ALLOWED: { retriable: false },
  RS_ASYNC_TIMEOUT: { retriable: true },
  RS_GENERATOR_REUSED: { retriable: false },
  RS_STATE_UNDECLARED: { retriable: false },
  RS_STATE_UNBOUND: { retriable: false },
  RS_STATE_NOT_LOADED: { retriable: false },
  RS_BROADCAST_READ_ONLY: { retriable: false },
  RS_CONTEXT_CLOSED: { retriable: false },
  RS_TIMER_LOOP: { retriable: false },
  RS_USER_FUNCTION_FAILED: { retriable: false },
  RS_SOURCE_FAILED: { retriable: false },
  RS_SINK_FAILED: { retriable: false },
  RS_BACKPRESSURE_IGNORED: { retriable: false },
  RS_CLOSED: { retriable: false },
  RS_COMMIT_REJECTED: { retriable: true },
  RS_UNKNOWN_CHECKPOINT: { retriable: false },
  RS_CHECKPOINT_MISMATCH: { retriable: false },
  RS_CHECKPOINT_CORRUPT: { retriable: false },
  RS_CHECKPOINT_LOCKED: { retriable: true },
  RS_CHECKPOINT_FAILED: { retriable: true },
} as const satisfies Record<`RS_${string}`, { readonly retriable: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;
