import type { DeadLetterFilter } from './dead-letter-options.ts';
import type { DeadLetterPlace } from './dead-letter-id.ts';
import type { DeadLetterStore, ReadRequest } from './dead-letter-store.ts';
import { errorOf } from './error-of.ts';
import type { StoredDeadLetter } from './stored-dead-letter.ts';

export interface ScanOptions {
  readonly partitions: number;
  readonly filter: DeadLetterFilter;
  readonly parts: ReadRequest['parts'];
  readonly after?: DeadLetterPlace | undefined;
  /** Dead letters to look at, at most. Default: all. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ScanPage {
  readonly partition: number;
  readonly looked: number;
  readonly found: readonly StoredDeadLetter[];
}

/** Dead letters per page, and bytes: what one page holds in memory, and what a script may take time for. */
const PAGE = { count: 200, budget: 4 * 1024 * 1024 } as const;

/**
 * Pages through the dead letters of all partitions, one partition after the other, each in order. It ends with the last one that
 * its partition had when its turn came: what is replayed and fails again meanwhile is not met again.
 */
export async function* scan(
  store: Pick<DeadLetterStore, 'read'>,
  options: ScanOptions,
): AsyncGenerator<ScanPage> {
  const { partitions, filter, parts, after: start, limit = Infinity, signal } = options;
  const { group = '', reason = '', signature } = filter;
  const first = Math.max(filter.partition ?? 0, start?.partition ?? 0);
  const end = filter.partition === undefined ? partitions : Math.min(partitions, filter.partition + 1);
  let left = limit;
  for (let partition = first; partition < end; partition++) {
    let after: string | undefined = partition === start?.partition ? start.entry : '0-0';
    let last = '';
    while (after !== undefined && left > 0) {
      const count = Math.min(PAGE.count, left);
      const request = { after, last, count, budget: PAGE.budget, group, reason, parts };
      const page = await store.read(partition, request, { signal });
      const found =
        signature === undefined
          ? page.found
          : page.found.filter(({ error }) => errorOf(error).signature === signature);
      yield { partition, looked: page.looked, found };
      left -= page.looked;
      after = page.next;
      last = page.last;
    }
  }
}
