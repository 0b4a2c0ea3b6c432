import type { RsError } from '@rs/core';
import { clipText } from './clip.ts';
import { describeError } from './error-signature.ts';

/** What a dead letter keeps of texts that schemas make, in UTF-16 code units, and of their issues. */
const MAX_TEXT = 512;
const MAX_ISSUES = 50;

/** What a dead letter says of the error of its last attempt, as JSON. */
export function reportOf(thrown: unknown): string {
  return JSON.stringify(describeError(thrown));
}

/** What a dead letter says of a message that cannot be read, as JSON: with the code, and what the schema found. */
export function undecodableReportOf(error: RsError): string {
  const { issues } = error.details;
  return JSON.stringify({
    ...describeError(error),
    code: error.code,
    ...(Array.isArray(issues) ? { issues: issues.slice(0, MAX_ISSUES).map(shortIssue) } : {}),
  });
}

/** Short and plain, whatever a schema gives. */
function shortIssue(issue: unknown): { message: string; path?: string } {
  const { message, path } = Object(issue) as { readonly message?: unknown; readonly path?: unknown };
  return {
    message: clipText(String(message), MAX_TEXT),
    ...(typeof path === 'string' && path !== '' ? { path: clipText(path, MAX_TEXT) } : {}),
  };
}
