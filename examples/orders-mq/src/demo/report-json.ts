import type { Results } from './results.ts';

/** One JSON document. */
export function jsonReport({ sent, handled, duplicates, deadLetters, seconds }: Results): string {
  return `${JSON.stringify({ sent, handled, duplicates, deadLetters, seconds })}\n`;
}
