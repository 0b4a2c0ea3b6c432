/** How much one commit may change: `operations` are fields, members and entries; `bytes` all that is sent. */
export interface CommitLimits {
  readonly operations: number;
  readonly bytes: number;
}

/**
 * Up to where records are committed together. Redis serves nobody else meanwhile, so a commit should take about two milliseconds: an
 * operation takes near one microsecond, and a mebibyte about as long as three hundred of them.
 */
export const BATCH_LIMITS: CommitLimits = { operations: 2_000, bytes: 4 * 1024 * 1024 };

/**
 * What one record may lead to at most. Beyond it Redis would stand still for so long that leases end, and all of it has to fit into one
 * call.
 */
export const RECORD_LIMITS: CommitLimits = { operations: 50_000, bytes: 32 * 1024 * 1024 };

/**
 * Names and values that one entry of a stream may have: they go through the stack of Lua at once, whose limit is near 8,000.
 * `commit-task.lua` has the same number.
 */
export const ENTRY_VALUES = 2_000;

export function exceeds(size: CommitLimits, limits: CommitLimits): boolean {
  return size.operations > limits.operations || size.bytes > limits.bytes;
}
