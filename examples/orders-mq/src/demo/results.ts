import type { DeadLetterCause } from '@rs/mq';
import type { Share } from '../books.ts';
import type { Kill, Takeover } from './kill.ts';

export interface Results {
  /** Messages that the producer sent. */
  readonly sent: number;
  /** Orders that were handled, each once. */
  readonly handled: number;
  /** Times that an order was handled again. */
  readonly duplicates: number;
  readonly deadLetters: number;
  /** From the start of the programs until everything was handled. */
  readonly seconds: number;
  readonly kill: Kill | undefined;
  readonly takeover: Takeover | undefined;
  /** Attempts that failed and were made again. */
  readonly retries: number;
  /** Leases that ran out while their worker lived: what it had under way may have been handled twice too. */
  readonly lostLeases: number;
  /** What was charged, in cents. */
  readonly turnover: number;
  readonly shares: readonly Share[];
  /** Dead letters by partition. */
  readonly dead: readonly number[];
  readonly causes: readonly Cause[];
}

/** What dead letters died of, with what one of them says. */
export interface Cause extends Pick<DeadLetterCause, 'reason' | 'signature' | 'count'> {
  readonly example: string;
}

/** Whether every message ended as it should: handled, or among the dead letters. */
export function addsUp({ sent, handled, deadLetters }: Results): boolean {
  return sent === handled + deadLetters;
}
