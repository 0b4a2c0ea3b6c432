import { clipText } from '../retry/clip.ts';
import { reportOf, undecodableReportOf } from '../retry/error-report.ts';
import { describeError } from '../retry/error-signature.ts';
import { type RetryDecision, type RetryPolicy, decide, decideRetry } from '../retry/retry-policy.ts';
import type { Delivery } from './delivery.ts';
import type { Ending } from './ending.ts';
import type { DeadReason } from './settle-batch.ts';

/** What a dead letter keeps of the reason that a handler gives, in UTF-16 code units. */
const MAX_REASON = 512;

/** What becomes of a delivery. */
export type Verdict = (
  | { readonly type: 'done' }
  | { readonly type: 'retry'; readonly delay: number; readonly error: unknown }
  | {
      readonly type: 'dead';
      /** Attempts that failed, with this one. */
      readonly failed: number;
      readonly reason: DeadReason;
      readonly error: unknown;
      /** What the dead letter says of the error, as JSON. */
      readonly report: string;
    }
) & {
  /** What the user's retry policy threw: told, and otherwise without effect. */
  readonly policyError?: unknown;
};

const DONE: Verdict = { type: 'done' };

/** Decides by how the handler's call ended, by the policy and by the attempts so far. */
export function judge(
  delivery: Delivery,
  ending: Ending,
  policy: RetryPolicy,
  random: () => number,
): Verdict {
  const attempt = delivery.failed + 1;
  if (ending.type === 'undecodable') {
    return {
      type: 'dead',
      failed: delivery.failed,
      reason: 'undecodable',
      error: ending.error,
      report: undecodableReportOf(ending.error),
    };
  }
  if (ending.type === 'failed') {
    return byDecision(decide(policy, ending.error, attempt, random), attempt, ending.error);
  }
  const { outcome } = ending;
  if (outcome.type === 'success') return DONE;
  if (outcome.type === 'retry') {
    return byDecision(decideRetry(policy, outcome, attempt, random), attempt, outcome.error);
  }
  const report = JSON.stringify({
    ...(outcome.error === undefined ? {} : describeError(outcome.error)),
    reason: clipText(outcome.reason, MAX_REASON),
  });
  return { type: 'dead', failed: attempt, reason: 'handler', error: outcome.error, report };
}

function byDecision(decision: RetryDecision, attempt: number, error: unknown): Verdict {
  if (decision.type === 'retry') {
    const { delay, policyError } = decision;
    return { type: 'retry', delay, error, ...(policyError === undefined ? {} : { policyError }) };
  }
  const report = error === undefined ? '{}' : reportOf(error);
  return { type: 'dead', failed: attempt, reason: decision.reason, error, report };
}
