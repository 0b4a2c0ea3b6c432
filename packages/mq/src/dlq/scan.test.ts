import { describe, expect, test } from '@jest/globals';
import type { DeadLetterPage, DeadLetterStore, ReadRequest } from './dead-letter-store.ts';
import { type ScanOptions, scan } from './scan.ts';
import type { StoredDeadLetter } from './stored-dead-letter.ts';

/** Partitions of dead letters with the ids `0-1`, `0-2`, …, read in pages of three at most. */
class Partitions implements Pick<DeadLetterStore, 'read'> {
  readonly requests: [number, ReadRequest][] = [];
  readonly sizes: number[];

  constructor(...sizes: number[]) {
    this.sizes = sizes;
  }

  read(partition: number, request: ReadRequest): Promise<DeadLetterPage> {
    this.requests.push([partition, request]);
    const size = this.sizes[partition] ?? 0;
    const last = request.last === '' ? size : seqOf(request.last);
    const from = seqOf(request.after);
    const to = Math.min(last, from + Math.min(3, request.count));
    const found = Array.from({ length: to - from }, (_, at) => letter(partition, from + at + 1));
    const next = to < last ? `0-${to}` : undefined;
    return Promise.resolve({ last: `0-${last}`, next, looked: found.length, found });
  }
}

const seqOf = (id: string): number => Number(id.split('-')[1]);

function letter(partition: number, seq: number): StoredDeadLetter {
  const error = JSON.stringify({ signature: seq % 2 === 0 ? 'even' : 'odd' });
  const facts = { group: 'g', messageId: '1-0', attempts: 1, failedAt: 1, reason: 'attempts', fields: [] };
  return { ...facts, partition, entry: `0-${seq}`, error };
}

async function scanned(partitions: Partitions, options: Partial<ScanOptions> = {}): Promise<string[]> {
  const found: string[] = [];
  const all = { partitions: partitions.sizes.length, filter: {}, parts: 'facts' } as const;
  for await (const page of scan(partitions, { ...all, ...options })) {
    for (const { partition, entry } of page.found) found.push(`${partition}:${seqOf(entry)}`);
  }
  return found;
}

describe('scan', () => {
  test('goes page by page, partition by partition', async () => {
    const partitions = new Partitions(4, 0, 2);
    expect(await scanned(partitions)).toEqual(['0:1', '0:2', '0:3', '0:4', '2:1', '2:2']);
    expect(partitions.requests.map(([partition, { after }]) => [partition, after])).toEqual([
      [0, '0-0'],
      [0, '0-3'],
      [1, '0-0'],
      [2, '0-0'],
    ]);
  });

  test('ends where the partition ended when its turn came', async () => {
    const partitions = new Partitions(4);
    const found: string[] = [];
    for await (const page of scan(partitions, { partitions: 1, filter: {}, parts: 'all' })) {
      found.push(...page.found.map(({ entry }) => entry));
      partitions.sizes[0] = 100;
    }
    expect(found).toEqual(['0-1', '0-2', '0-3', '0-4']);
  });

  test('begins after a place, in its partition and in those behind it', async () => {
    const after = { partition: 1, entry: '0-2' };
    expect(await scanned(new Partitions(2, 3, 1), { after })).toEqual(['1:3', '2:1']);
    const one = { after, filter: { partition: 2 } };
    expect(await scanned(new Partitions(2, 3, 1), one)).toEqual(['2:1']);
    expect(await scanned(new Partitions(2, 3, 1), { after, filter: { partition: 0 } })).toEqual([]);
  });

  test('lets signatures pass, and tells the rest to Redis', async () => {
    const partitions = new Partitions(5);
    const filter = { group: 'g', reason: 'attempts', signature: 'even' } as const;
    expect(await scanned(partitions, { filter })).toEqual(['0:2', '0:4']);
    expect(partitions.requests[0]).toEqual([
      0,
      expect.objectContaining({ group: 'g', reason: 'attempts', parts: 'facts', last: '' }),
    ]);
  });

  test('looks at no more than the limit, those that do not pass included', async () => {
    const partitions = new Partitions(4, 4);
    expect(await scanned(partitions, { limit: 5 })).toEqual(['0:1', '0:2', '0:3', '0:4', '1:1']);
    expect(await scanned(partitions, { limit: 5, filter: { signature: 'odd' } })).toEqual([
      '0:1',
      '0:3',
      '1:1',
    ]);
  });
});
