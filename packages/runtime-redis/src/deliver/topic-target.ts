import { type Logger, RsError } from '@rs/core';
import { compareIds } from '@rs/mq';
import type { RedisArgument, RedisClient, TopicKeys } from '@rs/redis';
import { appendOutputs } from '../lua/scripts.generated.ts';
import { list } from '../store/replies.ts';
import { idAfter, lastIdOfCommit, NO_ID, seqOf } from '../sink/out-position.ts';
import type { OutEntry } from './out-entry.ts';
import type { OutTarget } from './out-target.ts';

export interface TopicTargetOptions {
  readonly client: Pick<RedisClient, 'run' | 'command'>;
  readonly keys: TopicKeys;
  /** Names the out log among all that send to the topic. */
  readonly source: string;
  /** What to do where the topic has results that the task does not remember, or has lost some that it was given. */
  readonly onRollback: 'halt' | 'continue';
  /** Entries of the out log with lower ids may be gone. */
  readonly trimmed: () => string;
  /** Entries that the out log still has: those after `after` up to `to`. */
  readonly between: (after: string, to: string) => Promise<readonly OutEntry[]>;
  readonly logger: Logger;
}

/** What is known of one partition of the topic. */
interface Position {
  /** The last entry that was appended, in our history. */
  last: string;
  /** Entries up to here need not be sent. */
  skip: string;
  /** Another history that has been there before ours. */
  replaces: string;
}

/**
 * Appends results to the partitions of a topic, each once: a partition remembers the position of the last one of each source and leaves
 * out what it has. So what is sent again after a lost reply, a crash or by an owner that was replaced changes nothing.
 */
export class TopicTarget implements OutTarget {
  readonly #options: TopicTargetOptions;
  readonly #positions = new Map<number, Position>();
  #gen: string;
  #opened: { readonly gen: string | undefined } | undefined;

  /** @param gen the history that the positions belong to */
  constructor(options: TopicTargetOptions, gen: string) {
    this.#options = options;
    this.#gen = gen;
  }

  /**
   * Looks at what the topic has of us. Once it has succeeded, it answers as it did.
   *
   * @param seq the last commit of the task
   * @param newGen makes the name of another history
   * @returns the other history in which to go on, where the topic has results that the task does not remember
   * @throws RsError `RS_LOG_ROLLED_BACK` in that case with `onRollback: 'halt'`; what the client throws
   */
  async open(partitions: number, seq: number, newGen: () => string): Promise<string | undefined> {
    this.#opened ??= { gen: await this.#open(partitions, seq, newGen) };
    return this.#opened.gen;
  }

  async #open(partitions: number, seq: number, newGen: () => string): Promise<string | undefined> {
    await Promise.all(
      Array.from({ length: partitions }, async (_, partition) => {
        this.#positions.set(partition, await this.#read(partition));
      }),
    );
    const ahead = [...this.#positions]
      .filter(([, { last }]) => seqOf(last) > seq)
      .map(([partition]) => partition);
    if (ahead.length === 0) return undefined;
    this.#rolledBack(
      `partition ${ahead.join(', ')} of topic '${this.#options.keys.topic}' has results that the task has lost: ` +
        'Redis went back to an earlier state of the task',
      { partitions: ahead, seq },
    );
    const before = this.#gen;
    this.#gen = newGen();
    for (const position of this.#positions.values()) {
      if (position.last === NO_ID) continue;
      const known = lastIdOfCommit(seq);
      position.skip = compareIds(position.last, known) < 0 ? position.last : known;
      position.last = NO_ID;
      position.replaces = before;
    }
    return this.#gen;
  }

  async deliver(entries: readonly OutEntry[], done: (count: number) => void): Promise<void> {
    const byPartition = new Map<number, OutEntry[]>();
    for (const entry of entries) {
      const partition = partitionOfEntry(entry);
      const own = byPartition.get(partition);
      if (own === undefined) byPartition.set(partition, [entry]);
      else own.push(entry);
    }
    // All have to end before anything is sent again: one call at a time for each partition.
    const results = await Promise.allSettled(
      [...byPartition].map(([partition, own]) => this.#deliverTo(partition, own)),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    done(entries.length);
  }

  async #deliverTo(partition: number, entries: readonly OutEntry[]): Promise<void> {
    let position = this.#positions.get(partition);
    if (position === undefined) {
      // The topic has grown.
      position = await this.#read(partition);
      this.#positions.set(partition, position);
    }
    const { skip } = position;
    const left = entries.filter(({ id }) => compareIds(id, skip) > 0);
    if (left.length > 0) await this.#append(partition, position, left);
  }

  /** @throws RsError `RS_LEASE_LOST` when another history of the task is there; `RS_LOG_ROLLED_BACK` */
  async #append(partition: number, position: Position, entries: readonly OutEntry[]): Promise<void> {
    const { client, keys, source } = this.#options;
    const { log: stream, sources } = keys.partition(partition);
    const call = appendOutputs({
      keys: { stream, sources },
      args: {
        source,
        gen: this.#gen,
        replaces: position.replaces,
        previous: position.last,
        entries: entries.flatMap(messageOf),
      },
    });
    const [status, detail] = list(await client.run(call));
    if (status === 'OK') {
      position.last = entries.at(-1)?.id ?? position.last;
      position.skip = position.last;
      position.replaces = '';
    } else if (status === 'GAP') {
      await this.#fill(partition, position, String(detail));
      await this.#append(partition, position, entries);
    } else {
      throw new RsError(
        'RS_LEASE_LOST',
        `partition ${partition} of topic '${keys.topic}' gets the results of '${source}' from another process by now`,
        { details: { topic: keys.topic, partition, source } },
      );
    }
  }

  /** The partition has lost entries that it was given: those that are still in the out log are sent again. */
  async #fill(partition: number, position: Position, last: string): Promise<void> {
    const { trimmed, between, keys } = this.#options;
    if (compareIds(idAfter(last), trimmed()) < 0) {
      this.#rolledBack(
        `partition ${partition} of topic '${keys.topic}' has lost results that it was given: Redis went back to an earlier ` +
          'state of the topic',
        { partition, last },
      );
    }
    const missing = (await between(last, position.last)).filter(
      (entry) => partitionOfEntry(entry) === partition,
    );
    position.last = last;
    if (missing.length > 0) await this.#append(partition, position, missing);
  }

  /** @throws RsError `RS_LOG_ROLLED_BACK` unless it is to go on */
  #rolledBack(problem: string, details: Readonly<Record<string, unknown>>): void {
    const { onRollback, logger, keys, source } = this.#options;
    const facts = { topic: keys.topic, source, ...details };
    if (onRollback === 'halt') {
      throw new RsError(
        'RS_LOG_ROLLED_BACK',
        `${problem}. Look at what readers have made of it, then start the job with onRollback: 'continue'`,
        { details: facts },
      );
    }
    logger.warn(facts, `${problem}; going on, as onRollback says: results can be missing, or be there twice`);
  }

  async #read(partition: number): Promise<Position> {
    const { client, keys, source } = this.#options;
    const key = keys.partition(partition).sources;
    const stored = await client.command({ name: 'HGET', args: [key, source] }, { key });
    if (typeof stored !== 'string') return { last: NO_ID, skip: NO_ID, replaces: '' };
    const [gen = '', position = NO_ID] = stored.split(' ');
    if (gen !== this.#gen) return { last: NO_ID, skip: NO_ID, replaces: gen };
    return { last: position, skip: position, replaces: '' };
  }
}

/** Fields of an entry: `p`, its partition, then `m`, `k`, `h`, `d`, each with its value behind it. */
function partitionOfEntry({ fields }: OutEntry): number {
  return Number(String(fields[1]));
}

function messageOf({ id, fields }: OutEntry): RedisArgument[] {
  return [id, fields[3] ?? '', fields[5] ?? '', fields[7] ?? '', fields[9] ?? ''];
}
