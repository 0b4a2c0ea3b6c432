import { expect } from '@jest/globals';
import { systemClock } from '@rs/core';
import { type RedisReply, type ScriptCall, TopicKeys } from '@rs/redis';
import type { Redis } from 'ioredis';
import {
  acquirePartition,
  fetchEntries,
  loadEntries,
  meetGroup,
  releasePartition,
  renewLeases,
  settleMessages,
  takeOverPending,
} from '../lua/scripts.generated.ts';
import { systemIds } from '../random.ts';
import { ModelRedis, replyAs } from './model-redis.ts';
import { runModel } from './model-scripts.ts';
import type { ModelStep } from './model-step.ts';
import { pendingIds } from './model-stream.ts';

const GROUP = 'billing';
/** An id that the time does not reach: so `*` gives the same ids on both sides. */
const FUTURE = '9999999999999-0';
/** Times on both sides differ by less, and those of the calls by more. */
const GRAIN = 20_000;
const LONG = 60_000;
/** Ids to choose from: those of the last entries. */
const RECENT = 6;

type ById = (n: number) => string;

/** A Redis and its model, which are given the same calls and have to give the same replies and end up with the same data. */
export class ModelPair {
  readonly #real: Redis;
  readonly #start = systemClock.now();
  readonly #model = new ModelRedis(() => systemClock.now());
  readonly #names: ReturnType<typeof keysOf>;
  readonly #ids: string[] = ['0-0'];
  readonly #againIds: string[] = ['0-0'];
  #clock = 8;

  constructor(real: Redis) {
    this.#real = real;
    // With REDIS_URL all files share one server.
    this.#names = keysOf(`model-${systemIds()}`);
  }

  async prepare(): Promise<void> {
    const { dead, meta } = this.#names;
    await this.#real.xadd(dead, FUTURE, 'x', 'y');
    await this.#real.xdel(dead, FUTURE);
    this.#model.add(dead, ['x', 'y'], FUTURE);
    this.#model.stream(dead).remove([FUTURE]);
    await this.#real.hset(meta, 'partitions', 4, 'shards', 2);
    this.#model.hash(meta).set('partitions', '4').set('shards', '2');
  }

  async take(step: ModelStep): Promise<void> {
    const call = this.#callOf(step);
    if (call === undefined) await this.#act(step);
    else await this.#compareReplies(call, step);
    const [real, model] = [await this.#realState(), this.#modelState()];
    expect({ step, state: this.#steady(real) }).toEqual({ step, state: this.#steady(model) });
  }

  async #compareReplies({ script, keys, args }: ScriptCall, step: ModelStep): Promise<void> {
    const bytes = args.map((each) => (typeof each === 'object' ? Buffer.from(each) : each));
    const real = (await this.#real.callBuffer(
      'EVAL',
      script.source,
      keys.length,
      ...keys,
      ...bytes,
    )) as RedisReply;
    const model = runModel(this.#model, { script, keys, args });
    // How much retention has removed Redis only estimates.
    const cut = (reply: RedisReply): RedisReply =>
      script.name === 'acquire-partition' && Array.isArray(reply) ? reply.slice(0, 7) : reply;
    const shown = (reply: RedisReply) => this.#steady(replyAs(cut(reply), false));
    expect({ step, reply: shown(real) }).toEqual({ step, reply: shown(model) });
  }

  #callOf(step: ModelStep): ScriptCall | undefined {
    const { stream, lease, holds, retries, attempts, dead, redelivery, meta, members } = this.#names;
    const [id, again] = [this.#ids, this.#againIds].map(
      (ids) => (n: number) => pick(ids.slice(-RECENT), n),
    ) as [ById, ById];
    const owner = { group: GROUP, consumer: 'owner' };
    switch (step.do) {
      case 'acquire': {
        const from = pick(['0-0', '0-0', '0-0', '$', id(step.from)], step.from);
        return acquirePartition({
          keys: { stream, lease, holds, retries, attempts },
          args: { group: GROUP, token: step.token, owner: `member ${step.token}`, ttl: LONG, from },
        });
      }
      case 'renew':
        return renewLeases({ keys: { leases: [lease] }, args: { ttl: 3 * LONG, tokens: [step.token] } });
      case 'release':
        return releasePartition({ keys: { lease }, args: { token: step.token } });
      case 'takeOver': {
        const args = {
          token: step.token,
          ...owner,
          cursor: step.cursor % 3 === 0 ? id(step.cursor) : '0-0',
          count: step.count,
        };
        return takeOverPending({ keys: { stream, lease, retries, attempts }, args });
      }
      case 'load':
        return loadEntries({ keys: { stream }, args: { budget: step.budget, ids: step.ids.map(id) } });
      case 'fetch': {
        const fetched = this.#model.hash(lease).get('fetched') ?? '0-0';
        const after = step.after % 4 === 0 ? id(step.after) : fetched;
        const args = {
          ...{ token: step.token, ...owner, after, count: step.count, again: again(step.again) },
          ...{ budget: step.budget, step: step.step },
          confirmed: Number(this.#model.hash(lease).get('seq') ?? 0) - step.unconfirmed,
        };
        return fetchEntries({ keys: { stream, lease, redelivery, retries, attempts }, args });
      }
      case 'settle': {
        const outcomes = [
          ...counted(step.done.map((n) => [id(n)])),
          ...counted(step.doneAgain.map((n) => [again(n)])),
          ...counted([...step.done.map((n) => [id(n)]), ...step.doneAgain.map((n) => [`r${again(n)}`])]),
          ...counted(
            step.retried.map((n) => [n % 3 === 0 ? `r${again(n)}` : id(n), n, n % 2 === 0 ? 0 : LONG]),
          ),
          ...counted(
            step.dead.map((n) => [
              n % 3 === 0 ? `r${again(n)}` : id(n),
              id(n),
              n,
              'handler',
              '{}',
              4,
              'm',
              BYTES,
              'd',
              '',
            ]),
          ),
        ];
        const seq = Number(this.#model.hash(lease).get('seq') ?? 0) + step.seq;
        const started = pick(['', '=', id(step.started)], step.started);
        const args = { token: step.token, group: GROUP, seq, low: id(step.low), started, outcomes };
        return settleMessages({ keys: { stream, lease, holds, retries, attempts, dead, redelivery }, args });
      }
      case 'meet': {
        const facts = step.leave ? '' : '{"owned":[1, 2]}';
        const args = { member: pick(MEMBERS, step.member), facts, ttl: step.leave ? 0 : LONG, group: GROUP };
        return meetGroup({ keys: { meta, members }, args });
      }
      default:
        return undefined;
    }
  }

  async #act(step: ModelStep): Promise<void> {
    const { stream, lease, redelivery, members } = this.#names;
    const [real, model] = [this.#real, this.#model];
    switch (step.do) {
      case 'send': {
        // Of different lengths, since ids are no text; sometimes of one millisecond.
        const at = step.what % 3 === 0 ? `${this.#clock}-${step.what + 1}` : `${++this.#clock}-0`;
        if (step.what % 3 === 0) this.#clock++;
        const fields = pick(FIELDS, step.what);
        await real.xadd(stream, at, ...fields);
        model.add(stream, fields, at);
        this.#ids.push(at);
        return;
      }
      case 'redeliver': {
        const at = `${this.#againIds.length + 8}-0`;
        await real.xadd(redelivery, at, 'o', '7-7', 'm', BYTES);
        model.add(redelivery, ['o', '7-7', 'm', BYTES], at);
        this.#againIds.push(at);
        return;
      }
      case 'expire lease':
        if (!model.hash(lease).has('until')) return;
        await real.hset(lease, 'until', 1);
        model.hash(lease).set('until', '1');
        return;
      case 'expire member':
        await real.hset(members, pick(MEMBERS, step.member), '1 9 {}');
        model.hash(members).set(pick(MEMBERS, step.member), '1 9 {}');
        return;
      case 'set clock back': {
        // As those see it who come after: what was written lies far ahead.
        const far = String(this.#start + 100 * LONG);
        if (model.hash(lease).has('until')) {
          await real.hset(lease, 'until', far);
          model.hash(lease).set('until', far);
        }
        const member = pick(MEMBERS, step.member);
        if (!model.hash(members).has(member)) return;
        await real.hset(members, member, `${far} ${LONG} {}`);
        model.hash(members).set(member, `${far} ${LONG} {}`);
        return;
      }
      case 'read as another': {
        const group = model.group(stream, GROUP);
        // Whether a consumer comes to be by finding nothing depends on the version of Redis.
        if (group === undefined) return;
        if (model.stream(stream).range(group.delivered, undefined, 1).length === 0) return;
        await real.xreadgroup('GROUP', GROUP, 'another', 'COUNT', step.count, 'STREAMS', stream, '>');
        model.stream(stream).deliver(group, 'another', step.count);
        return;
      }
      case 'destroy group':
        if (model.group(stream, GROUP) === undefined) return;
        await real.xgroup('DESTROY', stream, GROUP);
        model.stream(stream).groups.delete(GROUP);
        return;
      case 'move group': {
        const group = model.group(stream, GROUP);
        if (group === undefined) return;
        group.delivered = pick(this.#ids, step.to);
        await real.xgroup('SETID', stream, GROUP, group.delivered);
        return;
      }
      case 'trim':
        await real.xtrim(stream, 'MAXLEN', step.to);
        model.streams.get(stream)?.trim(step.to);
        return;
      case 'remove':
        await real.xdel(stream, pick(this.#ids, step.what));
        model.streams.get(stream)?.remove([pick(this.#ids, step.what)]);
        return;
      case 'delete stream':
        await real.del(stream);
        model.delete(stream);
        if (step.restart) this.#clock = 1;
        return;
      default:
        throw new Error(`no such step: ${step.do}`);
    }
  }

  async #realState(): Promise<unknown> {
    const { stream, lease, holds, retries, attempts, dead, redelivery, members } = this.#names;
    const real = this.#real;
    const [log, deadLetters, again, due, ...hashes] = await Promise.all([
      real.xrange(stream, '-', '+'),
      real.xrange(dead, '-', '+'),
      real.xrange(redelivery, '-', '+'),
      real.zrange(retries, 0, -1, 'WITHSCORES'),
      ...[lease, holds, attempts, members].map((key) => real.hgetall(key)),
    ]);
    const dueById = Object.fromEntries(
      due.flatMap((each, at) => (at % 2 === 0 ? [[each, Number(due[at + 1])]] : [])),
    );
    return { log, deadLetters, again, dueById, hashes, group: await this.#realGroup() };
  }

  async #realGroup(): Promise<unknown> {
    const { stream } = this.#names;
    if (this.#model.group(stream, GROUP) === undefined) {
      await expect(this.#real.xpending(stream, GROUP)).rejects.toThrow('NOGROUP');
      return undefined;
    }
    const [pending, groups, consumers] = (await Promise.all([
      this.#real.xpending(stream, GROUP, '-', '+', 1_000),
      this.#real.xinfo('GROUPS', stream),
      this.#real.xinfo('CONSUMERS', stream, GROUP),
    ])) as [[string, string][], unknown[][], unknown[][]];
    const fact = (facts: unknown[] = [], name: string): unknown => facts[facts.indexOf(name) + 1];
    return {
      delivered: fact(groups[0], 'last-delivered-id'),
      pending: pending.map(([id, consumer]) => [id, consumer]),
      others: consumers.map((facts) => fact(facts, 'name')).filter((name) => name !== 'owner'),
    };
  }

  #modelState(): unknown {
    const { stream, lease, holds, retries, attempts, dead, redelivery, members } = this.#names;
    const [log, deadLetters, again] = [stream, dead, redelivery].map((key) =>
      (this.#model.streams.get(key)?.entries ?? []).map(({ id, fields }) => [id, fields.map(String)]),
    );
    const hashes = [lease, holds, attempts, members].map((key) => Object.fromEntries(this.#model.hash(key)));
    const dueById = Object.fromEntries(this.#model.sortedSet(retries));
    const group = this.#model.group(stream, GROUP);
    return {
      log,
      deadLetters,
      again,
      dueById,
      hashes,
      group: group && {
        delivered: group.delivered,
        pending: pendingIds(group).map((id) => [id, group.pending.get(id)]),
        others: [...group.consumers].filter((name) => name !== 'owner'),
      },
    };
  }

  /** Without the small differences of times. */
  #steady(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#steady(each));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#steady(each)]));
    }
    if (typeof value === 'number') {
      if (value < 1_000) return value;
      return Math.round((value < LONG * 10 ? value : value - this.#start) / GRAIN);
    }
    if (typeof value !== 'string') return value;
    return value.replace(
      /^\d{13}(?= |$)/,
      (time) => `${Math.round((Number(time) - this.#start) / GRAIN)} grains`,
    );
  }
}

const BYTES = Buffer.from([0, 13, 10, 226, 130, 172]);
const MEMBERS = ['one', 'two', 'three'];
const FIELDS: readonly (string | Buffer)[][] = [
  ['m', '1,json,k,', 'k', 'key', 'h', '', 'd', '"value"'],
  ['m', '', 'k', '', 'h', '', 'd', BYTES],
  ['m', '1', 'k', '', 'd', '', 'h', ''],
  ['of', 'others'],
];

function keysOf(topic: string) {
  const keys = new TopicKeys({ topic, shards: 2 });
  const partition = keys.partition(0);
  const { log: stream, holds, deadLetters: dead } = partition;
  const { lease, retries, attempts, redelivery } = partition.group(GROUP);
  return {
    stream,
    holds,
    dead,
    lease,
    retries,
    attempts,
    redelivery,
    meta: keys.meta,
    members: keys.members(GROUP),
  };
}

function counted(elements: readonly (readonly (string | number | Buffer)[])[]): (string | number | Buffer)[] {
  return [elements.length, ...elements.flat()];
}

function pick<T>(all: readonly T[], n: number): T {
  const picked = all[n % all.length];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}
