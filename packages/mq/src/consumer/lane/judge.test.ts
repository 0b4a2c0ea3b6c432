import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { resolveRetry } from '../retry/retry-policy.ts';
import type { Ending } from './ending.ts';
import { judge } from './judge.ts';
import { pendingDelivery } from './new-delivery.ts';

const facts = { place: 0, recorded: false, suspect: false, keyed: false };

/** What becomes of a message that failed `failed` times before. */
function verdict(ending: Ending, failed = 0, options: Parameters<typeof resolveRetry>[0] = {}) {
  const delivery = pendingDelivery({ id: '1-0', fields: [] }, { ...facts, failed });
  return judge(delivery, ending, resolveRetry({ jitter: 'none', ...options }), () => 0.5);
}

/** A verdict of death, with what its report says. */
function death(ending: Ending, failed = 0, options: Parameters<typeof resolveRetry>[0] = {}) {
  const found = verdict(ending, failed, options);
  if (found.type !== 'dead') throw new Error(`the message is not dead but ${found.type}`);
  return { ...found, report: JSON.parse(found.report) as unknown };
}

const failed = (error: unknown): Ending => ({ type: 'failed', error });

describe('judge', () => {
  test('success, and failures up to the last attempt', () => {
    expect(verdict({ type: 'outcome', outcome: { type: 'success' } })).toEqual({ type: 'done' });
    expect(verdict(failed('down'), 1)).toEqual({ type: 'retry', delay: 2_000, error: 'down' });
    expect(death(failed('down'), 4)).toMatchObject({
      failed: 5,
      reason: 'attempts',
      report: { message: 'down' },
    });
  });

  test('a retry that was asked for waits as long as was asked for, and needs no error', () => {
    const again: Ending = { type: 'outcome', outcome: { type: 'retry', delay: 7 } };
    expect(verdict(again)).toEqual({ type: 'retry', delay: 7, error: undefined });
    expect(death(again, 4)).toMatchObject({ reason: 'attempts', report: {} });
  });

  test('a policy that fails is told of, and changes nothing', () => {
    const policyError = new Error('bug');
    const policy = (): never => {
      throw policyError;
    };
    expect(verdict(failed('down'), 0, { policy })).toMatchObject({
      type: 'retry',
      delay: 1_000,
      policyError,
    });
    expect(death(failed('down'), 0, { policy: () => 'deadLetter' })).toMatchObject({
      failed: 1,
      reason: 'policy',
    });
  });

  test('what cannot be decoded was no attempt', () => {
    const issues = [{ message: 'no number', path: 'id' }, { message: 'no date' }];
    const error = new RsError('RS_INVALID_VALUE', 'no order', { details: { issues } });
    expect(death({ type: 'undecodable', error }, 2)).toMatchObject({
      failed: 2,
      reason: 'undecodable',
      report: { message: 'no order', code: 'RS_INVALID_VALUE', issues },
    });
  });

  test('a report stays small, whatever schemas and handlers say', () => {
    const loop: { path: unknown[] } = { path: [] };
    loop.path.push(loop, 1n);
    const issues = [
      loop,
      null,
      ...Array.from({ length: 100 }, () => ({ message: 'x'.repeat(10_000), path: 'p'.repeat(10_000) })),
    ];
    const error = new RsError('RS_INVALID_VALUE', 'y'.repeat(10_000), { details: { issues } });
    const { report } = death({ type: 'undecodable', error }) as { report: { issues: unknown[] } };
    expect(report.issues).toHaveLength(50);
    expect(report.issues.slice(0, 3)).toEqual([
      { message: 'undefined' },
      { message: 'undefined' },
      { message: 'x'.repeat(512), path: 'p'.repeat(512) },
    ]);
    const outcome = { type: 'deadLetter', reason: 'z'.repeat(10_000) } as const;
    expect(death({ type: 'outcome', outcome })).toMatchObject({
      failed: 1,
      reason: 'handler',
      report: { reason: 'z'.repeat(512) },
    });
  });
});
