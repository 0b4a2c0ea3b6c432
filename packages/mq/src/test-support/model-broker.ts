import { RsError } from '@rs/core';
import type { CallOptions, RedisReply, ScriptCall } from '@rs/redis';

/** What becomes of a call of `produce`: whether and when it is executed, and what the caller hears of it. */
export interface Fate {
  /** `late`: after the caller was told that the connection is lost. */
  readonly executed: 'yes' | 'no' | 'late';
  /** Default: the script's reply when it was executed, else a lost connection. */
  readonly error?: RsError;
}

export interface StoredEntry {
  readonly id: string;
  readonly m: string;
  readonly k: string;
  readonly h: string;
  readonly d: string;
}

export interface ProduceCall {
  readonly stream: string;
  readonly producer: string;
  readonly sequence: number;
  /** `m`, `k`, `h` and `d` of each message, as text. */
  readonly fields: readonly string[];
  readonly values: readonly string[];
}

/** What Redis and the scripts of a producer do, said as plainly as possible, with faults by the test's choice. */
export class ModelBroker {
  readonly produced: ProduceCall[] = [];
  readonly logs = new Map<string, StoredEntry[]>();
  /** Calls wait for `answer` while it is set. */
  held = false;
  /** Decides on each call of `produce`. */
  fate: (call: ProduceCall) => Fate = () => ({ executed: 'yes' });
  describes = 0;
  describeError: RsError | undefined;
  readonly topics = new Map<
    string,
    { partitions: number; shards: number; version: number; createdAt: number }
  >();
  readonly #last = new Map<string, { first: number; last: number; ms: number; seq: number }>();
  readonly #late: ProduceCall[] = [];
  #waiting: (() => void)[] = [];
  #ms = 1_700_000_000_000;

  /** Calls that wait for `answer`. */
  get waiting(): number {
    return this.#waiting.length;
  }

  run(call: ScriptCall, options: CallOptions = {}): Promise<RedisReply> {
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      const act = (): void => {
        try {
          resolve(this.#run(call));
        } catch (error) {
          reject(error);
        }
      };
      if (call.script.name === 'produce') {
        this.produced.push(produceCall(call));
        if (this.held) {
          this.#waiting.push(act);
          return;
        }
      }
      act();
    });
  }

  /** Lets the oldest call that waits go on. */
  answer(): void {
    this.#waiting.shift()?.();
  }

  /** Executes what is late. */
  catchUp(): void {
    for (const call of this.#late.splice(0)) this.#produce(call);
  }

  /** Values of a log, as text. */
  values(stream: string): string[] {
    return (this.logs.get(stream) ?? []).map(({ d }) => d);
  }

  #run(call: ScriptCall): RedisReply {
    if (call.script.name === 'describe-topic') return this.#describe(call.keys[0] ?? '');
    const wanted = produceCall(call);
    const { executed, error } = this.fate(wanted);
    if (executed === 'late') this.#late.push(wanted);
    const reply = executed === 'yes' ? this.#produce(wanted) : undefined;
    if (error !== undefined) throw error;
    if (reply === undefined) throw new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost');
    return reply;
  }

  #describe(meta: string): RedisReply {
    this.describes++;
    if (this.describeError !== undefined) throw this.describeError;
    const found = this.topics.get(meta.slice(meta.indexOf('{') + 1, meta.indexOf('}')));
    if (found === undefined) return ['UNKNOWN'];
    const { partitions, shards, version, createdAt } = found;
    return ['OK', ...[partitions, shards, version, createdAt].map(String)];
  }

  #produce({ stream, producer, sequence, fields, values }: ProduceCall): RedisReply {
    const last = sequence + values.length - 1;
    const place = `${stream} ${producer}`;
    const before = this.#last.get(place);
    if (before !== undefined && before.last >= sequence) {
      const same = before.first === sequence && before.last === last;
      return same ? ['DUP', String(before.ms), String(before.seq)] : ['STALE', String(before.last)];
    }
    const ms = this.#ms++;
    const log = this.logs.get(stream) ?? [];
    this.logs.set(stream, log);
    values.forEach((d, at) => {
      const [m = '', k = '', h = ''] = fields.slice(4 * at, 4 * at + 3);
      log.push({ id: `${ms}-${at}`, m, k, h, d });
    });
    this.#last.set(place, { first: sequence, last, ms, seq: 0 });
    return ['OK', String(ms), '0'];
  }
}

function produceCall({ keys, args }: ScriptCall): ProduceCall {
  const fields = args
    .slice(2)
    .map((field) => (field instanceof Uint8Array ? Buffer.from(field).toString() : String(field)));
  const values = fields.filter((_, at) => at % 4 === 3);
  return { stream: keys[0] ?? '', producer: String(args[0]), sequence: Number(args[1]), values, fields };
}
