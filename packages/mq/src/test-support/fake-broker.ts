import { RsError } from '@rs/core';
import type {
  BlockingConnection,
  CallOptions,
  RedisClient,
  RedisCommand,
  RedisReply,
  ScriptCall,
} from '@rs/redis';
import { TopicKeys } from '@rs/redis';
import { encodeEnvelope } from '../envelope/encode-envelope.ts';
import { jsonCodec } from '../codec/json-codec.ts';
import type { FakeTime, FakeTimers } from './fake-timers.ts';
import { ModelRedis, replyAs } from './model-redis.ts';
import { runModel } from './model-scripts.ts';

/** What becomes of one call. */
export interface Fate {
  /** Milliseconds until Redis executes it. Default 0. */
  readonly there?: number;
  /** Milliseconds that the reply takes. Default 0. */
  readonly back?: number;
  /**
   * `refused`: Redis refuses it. `forbidden`: for good. `lost`: it never gets there. `no reply`: it is executed, and the connection is lost.
   * `late`: the connection is lost, and Redis executes it all the same, afterwards. `silence`: nothing comes back.
   */
  readonly fault?: 'refused' | 'forbidden' | 'lost' | 'no reply' | 'late' | 'silence';
}

/** A call that was executed. */
export interface Executed {
  readonly client: string;
  readonly call: ScriptCall;
  readonly reply: RedisReply;
  readonly at: number;
}

const DEFAULT_TIMEOUT = 5_000;
/** Milliseconds that a `late` call comes later. */
const LATE = 300;
const EPOCH = 1_700_000_000_000;

/** A Redis in this process, with the network in front of it: what happens to each call is the test's choice. */
export class FakeBroker {
  readonly time: FakeTime;
  readonly redis: ModelRedis;
  /** Decides on each call, by the name of its script or command. */
  fate: (name: string, client: string) => Fate = () => ({});
  /** Told of each call that was executed, in order. */
  onExecuted: (executed: Executed) => void = () => undefined;
  readonly executed: Executed[] = [];
  readonly #blocked = new Set<Blocked>();

  constructor(time: FakeTime) {
    this.time = time;
    this.redis = new ModelRedis(() => Math.floor(EPOCH + this.time.now));
    this.redis.onAdd = (key) => {
      for (const blocked of this.#blocked) if (blocked.keys.includes(key)) blocked.look();
    };
  }

  createTopic(topic: string, partitions: number): void {
    const meta = this.redis.hash(new TopicKeys({ topic, shards: partitions }).meta);
    meta.set('partitions', String(partitions)).set('shards', String(partitions));
  }

  /** Appends a message with a value as JSON. */
  send(stream: string, value: unknown, key?: string): string {
    const { m, k, h, d } = encodeEnvelope(
      { key, value, headers: undefined, timestamp: undefined },
      jsonCodec(),
    );
    return this.redis.add(stream, ['m', m, 'k', k, 'h', h, 'd', d]);
  }

  /** Calls of a script that were executed. */
  callsOf(name: string): Executed[] {
    return this.executed.filter(({ call }) => call.script.name === name);
  }

  /** A client in a process: it gets no reply while the process is stopped. Calls are executed in order, and replies come in order. */
  client(process: FakeTimers, name = 'client', topology: 'single' | 'cluster' = 'single'): RedisClient {
    let there = 0;
    let back = 0;
    const run = (call: ScriptCall, options: CallOptions = {}): Promise<RedisReply> =>
      new Promise((resolve, reject) => {
        const fate = this.fate(call.script.name, name);
        const answer = (settle: () => void): void => {
          back = Math.max(back, this.time.now + (fate.back ?? 0));
          this.#at(back, () => {
            process.run(settle);
          });
        };
        const execute = (): RedisReply => {
          const reply = replyAs(runModel(this.redis, call), options.binary === true);
          const executed = { client: name, call, reply, at: this.time.now };
          this.executed.push(executed);
          this.onExecuted(executed);
          return reply;
        };
        const arrive = (): void => {
          if (fate.fault === 'refused') {
            answer(() => {
              reject(refused());
            });
          } else if (fate.fault === 'forbidden') {
            answer(() => {
              reject(
                new RsError('RS_REDIS_REPLY', 'NOPERM this user has no permissions', { retriable: false }),
              );
            });
          } else if (fate.fault === 'lost' || fate.fault === 'late') {
            answer(() => {
              reject(connectionLost());
            });
            if (fate.fault === 'late')
              this.time.at(this.time.now + (fate.back ?? 0) + LATE, () => void execute());
          } else if (fate.fault === 'silence') {
            process.after(options.timeout ?? DEFAULT_TIMEOUT, () => {
              reject(new RsError('RS_REDIS_TIMEOUT', 'Redis does not answer'));
            });
          } else {
            const reply = execute();
            answer(() => {
              if (fate.fault === 'no reply') reject(connectionLost());
              else resolve(reply);
            });
          }
        };
        there = Math.max(there, this.time.now + (fate.there ?? 0));
        this.#at(there, arrive);
      });
    return {
      topology,
      run,
      command: () => Promise.reject(new Error('consumers send no plain commands')),
      dedicated: () => new FakeBlockingConnection(this, process, name, this.#blocked),
      masters: () => Promise.resolve([]),
      waiting: () => undefined,
      close: () => Promise.resolve(),
    };
  }

  /** Now, when it is due now: what takes no time happens within the call. */
  #at(time: number, run: () => void): void {
    if (time <= this.time.now) run();
    else this.time.at(time, run);
  }
}

interface Blocked {
  readonly keys: readonly string[];
  /** Replies if there is something to read. */
  look(): void;
}

/** XREAD with BLOCK. */
class FakeBlockingConnection implements BlockingConnection {
  readonly #broker: FakeBroker;
  readonly #process: FakeTimers;
  readonly #name: string;
  readonly #all: Set<Blocked>;
  #wake: (() => void) | undefined;
  #fail: ((error: RsError) => void) | undefined;
  #closed = false;

  constructor(broker: FakeBroker, process: FakeTimers, name: string, all: Set<Blocked>) {
    this.#broker = broker;
    this.#process = process;
    this.#name = name;
    this.#all = all;
  }

  calls(): Promise<readonly RedisReply[]> {
    return Promise.reject(new Error('consumers send no command together with others'));
  }

  call(command: RedisCommand, { block }: { readonly block: number }): Promise<RedisReply> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#wake !== undefined) throw new Error('a blocking connection takes one call at a time');
    const { time, redis } = this.#broker;
    const fate = this.#broker.fate(command.name, this.#name);
    const { keys, ids } = readArguments(command);
    return new Promise((resolve, reject) => {
      let over = false;
      const end = (settle: () => void): void => {
        if (over) return;
        over = true;
        this.#all.delete(blocked);
        cancelBlock();
        const done = (): void => {
          this.#process.run(() => {
            this.#wake = undefined;
            this.#fail = undefined;
            settle();
          });
        };
        if ((fate.back ?? 0) === 0) done();
        else time.at(time.now + (fate.back ?? 0), done);
      };
      const reply = (value: RedisReply): void => {
        end(() => {
          if (fate.fault === 'no reply') reject(connectionLost());
          else resolve(value);
        });
      };
      const blocked: Blocked = {
        keys,
        look: () => {
          const found = keys.flatMap((key, at): RedisReply[] => {
            const [entry] = redis.streams.get(key)?.range(ids[at] ?? '0-0', undefined, 1) ?? [];
            return entry === undefined ? [] : [[key, [[entry.id, entry.fields.map(String)]]]];
          });
          if (found.length > 0) reply(found);
        },
      };
      const cancelBlock = time.at(time.now + (fate.there ?? 0) + block, () => {
        reply(null);
      });
      this.#wake = () => {
        reply(null);
      };
      this.#fail = (error) => {
        over = true;
        this.#all.delete(blocked);
        cancelBlock();
        reject(error);
      };
      const arrive = (): void => {
        if (over) return;
        if (fate.fault === undefined || fate.fault === 'no reply') {
          this.#all.add(blocked);
          blocked.look();
        } else {
          end(() => {
            reject(fate.fault === 'refused' ? refused() : connectionLost());
          });
        }
      };
      if ((fate.there ?? 0) === 0) arrive();
      else time.at(time.now + (fate.there ?? 0), arrive);
    });
  }

  wake(): void {
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#fail?.(closedError());
  }
}

/** Of `COUNT 1 BLOCK ms STREAMS key... id...`. */
function readArguments({ name, args }: RedisCommand): { keys: string[]; ids: string[] } {
  const streams = args.indexOf('STREAMS');
  if (name !== 'XREAD' || streams < 0 || !args.includes('BLOCK'))
    throw new Error(`unknown command ${name} ${args.join(' ')}`);
  const rest = args.slice(streams + 1).map(String);
  const [keys, ids] = [rest.slice(0, rest.length / 2), rest.slice(rest.length / 2)];
  return { keys, ids };
}

function refused(): RsError {
  return new RsError('RS_REDIS_REFUSED', 'Redis replied: LOADING Redis is loading the dataset in memory');
}

function connectionLost(): RsError {
  return new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost');
}

function closedError(): RsError {
  return new RsError('RS_CLOSED', 'the connection is closed');
}
