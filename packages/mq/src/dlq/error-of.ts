import { clipText } from '../consumer/retry/clip.ts';
import { normalize } from '../consumer/retry/normalize.ts';
import type { DeadLetterError, DeadLetterIssue } from './dead-letter.ts';

const MAX_SIGNATURE = 200;

/** What a dead letter says of its error. What cannot be read is left out: the rest is worth as much. */
export function errorOf(json: string): DeadLetterError {
  const facts = objectOf(json);
  const name = text(facts['name']);
  const message = text(facts['message']);
  const stack = text(facts['stack']);
  const code = text(facts['code']);
  const reason = text(facts['reason']);
  const issues = Array.isArray(facts['issues']) ? facts['issues'].flatMap(issueOf) : undefined;
  return {
    ...(name === undefined ? {} : { name }),
    ...(message === undefined ? {} : { message }),
    // A handler that gave up for a reason of its own had no error: its words tell dead letters of one cause apart.
    signature: text(facts['signature']) ?? clipText(normalize(reason ?? ''), MAX_SIGNATURE),
    ...(stack === undefined || stack === '' ? {} : { stack }),
    ...(code === undefined ? {} : { code }),
    ...(issues === undefined ? {} : { issues }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function issueOf(value: unknown): DeadLetterIssue[] {
  if (typeof value !== 'object' || value === null) return [];
  const { message, path } = value as { readonly message?: unknown; readonly path?: unknown };
  return [{ message: String(message), ...(typeof path === 'string' ? { path } : {}) }];
}
