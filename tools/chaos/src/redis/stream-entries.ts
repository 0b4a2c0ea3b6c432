import type { Redis } from 'ioredis';

const PAGE = 1_000;

export interface StreamEntry {
  readonly id: string;
  readonly fields: ReadonlyMap<string, Buffer>;
  /** Names and values in turn. */
  readonly flat: readonly Buffer[];
}

/** All entries of a stream, page by page. */
export async function* streamEntries(redis: Redis, stream: string): AsyncGenerator<StreamEntry> {
  for (let from = '-'; ;) {
    const page = (await redis.xrangeBuffer(stream, from, '+', 'COUNT', PAGE)) as [Buffer, Buffer[]][];
    for (const [id, flat] of page) {
      const fields = new Map<string, Buffer>();
      flat.forEach((value, at) => {
        const name = flat[at - 1];
        if (at % 2 === 1 && name !== undefined) fields.set(String(name), value);
      });
      yield { id: String(id), fields, flat };
    }
    const last = page.at(-1)?.[0];
    if (last === undefined || page.length < PAGE) return;
    from = `(${String(last)}`;
  }
}
