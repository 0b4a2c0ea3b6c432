import { type RedisCommand, type RedisReply, type ScriptCall } from '@rs/redis';
import { RsError } from '@rs/core';
import { compareIds } from '@rs/mq';
import type { CommitOp, StreamEntry } from '../store/commit-op.ts';

/** What becomes of a call: executed, never executed, executed without a reply, or executed only when the test says so. */
export type Fate = 'ok' | 'refused' | 'lost' | 'late';

/** Streams and hashes as out logs and topics use them, and calls that can go wrong. */
export class ModelRedis {
  readonly #streams = new Map<string, { entries: StreamEntry[]; last: string }>();
  readonly #hashes = new Map<string, Map<string, string>>();
  readonly #late: (() => void)[] = [];
  #appended = 0;

  stream(key: string): StreamEntry[] {
    return this.#stream(key).entries;
  }

  hash(key: string): Map<string, string> {
    let hash = this.#hashes.get(key);
    if (hash === undefined) this.#hashes.set(key, (hash = new Map<string, string>()));
    return hash;
  }

  /** A client whose calls have a fate, and take a while each way. */
  client(nextFate: () => Fate, travel: () => Promise<void>) {
    const call = async (execute: () => RedisReply): Promise<RedisReply> => {
      const fate = nextFate();
      await travel();
      if (fate === 'refused') throw lostReply();
      if (fate === 'late') this.#late.push(() => void execute());
      const reply = fate === 'late' ? null : execute();
      await travel();
      if (fate !== 'ok') throw lostReply();
      return reply;
    };
    return {
      command: (command: RedisCommand) => call(() => this.#command(command)),
      run: (script: ScriptCall) => call(() => this.#append(script)),
    };
  }

  copy(keys: readonly string[]): ReadonlyMap<string, StreamEntry[]> {
    return new Map(keys.map((key) => [key, [...this.stream(key)]]));
  }

  /** As a failover does: these streams are what they were. */
  replace(streams: ReadonlyMap<string, StreamEntry[]>): void {
    for (const [key, entries] of streams) {
      this.#streams.set(key, { entries: [...entries], last: entries.at(-1)?.id ?? '0-0' });
    }
  }

  /** Executes what was on its way for long. */
  executeLate(): void {
    for (const execute of this.#late.splice(0)) execute();
  }

  /** The writes of a commit. */
  apply(ops: readonly CommitOp[]): void {
    for (const op of ops) {
      const stream = this.#stream(op.key);
      if (op.type === 'unlink') this.#streams.delete(op.key);
      else if (op.type === 'xtrim')
        stream.entries = stream.entries.filter(({ id }) => compareIds(id, op.minId) >= 0);
      else if (op.type === 'xadd') {
        for (const entry of op.entries) {
          if (compareIds(entry.id, stream.last) <= 0) continue;
          stream.entries.push(entry);
          stream.last = entry.id;
        }
      }
    }
  }

  #stream(key: string): { entries: StreamEntry[]; last: string } {
    let stream = this.#streams.get(key);
    if (stream === undefined) this.#streams.set(key, (stream = { entries: [], last: '0-0' }));
    return stream;
  }

  #command({ name, args }: RedisCommand): RedisReply {
    const [key, first, second] = args.map(String);
    const { entries } = this.#stream(key ?? '');
    switch (name) {
      case 'XLEN':
        return entries.length;
      case 'HGET':
        return this.hash(key ?? '').get(first ?? '') ?? null;
      case 'XRANGE': {
        const after = (first ?? '').slice(1);
        const found = entries.filter(
          ({ id }) => compareIds(id, after) > 0 && compareIds(id, second ?? '') <= 0,
        );
        return found
          .slice(0, Number(args[4]))
          .map(({ id, fields }) => [id, fields.map((field) => Buffer.from(String(field)))]);
      }
      default:
        throw new Error(`${name} has no model`);
    }
  }

  /** As `append-outputs.lua`. */
  #append({ keys, args }: ScriptCall): RedisReply {
    const [stream = '', sources = ''] = keys;
    const [source = '', gen, replaces, previous = '', ...entries] = args.map(String);
    const [storedGen, position = '0-0'] = this.hash(sources).get(source)?.split(' ') ?? [];
    if (storedGen !== undefined && storedGen !== gen && storedGen !== replaces) return ['OTHER', storedGen];
    const last = storedGen === gen ? position : '0-0';
    if (compareIds(last, previous) < 0) return ['GAP', last];
    let top = last;
    let appended = 0;
    for (let at = 0; at < entries.length; at += 5) {
      const [id = '', m = '', k = '', h = '', d = ''] = entries.slice(at, at + 5);
      if (compareIds(id, last) <= 0) continue;
      this.#stream(stream).entries.push({
        id: `${++this.#appended}-0`,
        fields: ['m', m, 'k', k, 'h', h, 'd', d],
      });
      top = id;
      appended++;
    }
    if (appended > 0) this.hash(sources).set(source, `${gen} ${top}`);
    return ['OK', appended];
  }
}

function lostReply(): RsError {
  return new RsError('RS_REDIS_CONNECTION_LOST', 'the reply was lost');
}
