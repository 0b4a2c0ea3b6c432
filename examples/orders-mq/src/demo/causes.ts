import type { DeadLetter, DeadLetters } from '@rs/mq';
import type { Cause } from './results.ts';

/** What the dead letters died of, each with what one of them says. */
export async function causesOf(letters: DeadLetters<unknown>): Promise<Cause[]> {
  const { causes } = await letters.summary();
  const described: Cause[] = [];
  for (const { reason, signature, count } of causes) {
    for await (const letter of letters.list({ reason, signature, limit: 1 })) {
      described.push({ reason, signature, count, example: wordsOf(letter) });
    }
  }
  return described;
}

function wordsOf({ error: { reason, issues = [], message = '' } }: DeadLetter<unknown>): string {
  if (reason !== undefined) return reason;
  const [issue] = issues;
  if (issue === undefined) return message;
  return issue.path === undefined ? issue.message : `${issue.path}: ${issue.message}`;
}
