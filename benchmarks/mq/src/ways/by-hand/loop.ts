import type { Redis } from 'ioredis';
import type { Order } from '../../load/order.ts';
import { connect } from '../connect.ts';
import type { Deliver, Place, Receiver } from '../way.ts';
import { GROUP, streamsOf } from './streams.ts';

type Reply = readonly [stream: string, entries: readonly [id: string, fields: readonly string[]][]][];

const COUNT = 256;
const BLOCK_MS = 5_000;

/** The loop as it is fastest: the next read is under way while a batch is handled, and each batch has one XACK. */
export async function openLoop(place: Place, deliver: Deliver): Promise<Receiver> {
  const [reader, writer] = [await connect(place), await connect(place)];
  const loop = new Loop(reader, writer, streamsOf(place), deliver);
  const running = loop.run();
  return {
    close: async () => {
      loop.stop();
      await running;
      await loop.acknowledged();
      await writer.quit();
    },
  };
}

class Loop {
  readonly #reader: Redis;
  readonly #writer: Redis;
  readonly #partitions: ReadonlyMap<string, number>;
  readonly #deliver: Deliver;
  readonly #read: readonly string[];
  readonly #acks = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(reader: Redis, writer: Redis, streams: readonly string[], deliver: Deliver) {
    this.#reader = reader;
    this.#writer = writer;
    this.#deliver = deliver;
    this.#partitions = new Map(streams.map((stream, partition) => [stream, partition]));
    this.#read = [...streams, ...streams.map(() => '>')];
  }

  async run(): Promise<void> {
    let next = this.#next();
    while (!this.#stopped) {
      const reply = await next;
      if (this.#isStopped()) return;
      next = this.#next();
      for (const [stream, entries] of reply ?? []) this.#handle(stream, entries);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#reader.disconnect();
  }

  async acknowledged(): Promise<void> {
    await Promise.all(this.#acks);
  }

  #isStopped(): boolean {
    return this.#stopped;
  }

  async #next(): Promise<Reply | null> {
    try {
      const reply = await this.#reader.xreadgroup(
        'GROUP',
        GROUP,
        'owner',
        'COUNT',
        COUNT,
        'BLOCK',
        BLOCK_MS,
        'STREAMS',
        ...this.#read,
      );
      return reply as Reply | null;
    } catch (error) {
      // The read that was under way ends with its connection.
      if (this.#stopped) return null;
      throw error;
    }
  }

  #handle(stream: string, entries: Reply[number][1]): void {
    const partition = this.#partitions.get(stream) ?? 0;
    const ids: string[] = [];
    for (const [id, fields] of entries) {
      this.#deliver(JSON.parse(fields[1] ?? '') as Order, partition);
      ids.push(id);
    }
    const ack = this.#writer.xack(stream, GROUP, ...ids);
    this.#acks.add(ack);
    void ack.then(() => this.#acks.delete(ack));
  }
}
