import type { RedisReply, ScriptCall } from '@rs/redis';
import { compareIds } from '../consumer/position/entry-id.ts';
import { Arguments, type ModelRedis } from './model-redis.ts';
import { type ModelEntry, pendingIds } from './model-stream.ts';

type Model = (redis: ModelRedis, keys: readonly string[], args: Arguments) => RedisReply;

/** What the scripts of consumers do to Redis and answer. That they and the Lua agree is what `model-redis.redis.test.ts` is for. */
export function runModel(redis: ModelRedis, call: ScriptCall): RedisReply {
  const script = SCRIPTS[call.script.name];
  if (script === undefined) throw new Error(`there is no model of the script ${call.script.name}`);
  return script(redis, call.keys, new Arguments(call));
}

const acquirePartition: Model = (redis, keys, args) => {
  const [stream, leaseKey, holds, retries, attempts] = keys as [string, string, string, string, string];
  const [group, token, owner, ttl, from] = [
    args.text(),
    args.text(),
    args.text(),
    args.number(),
    args.text(),
  ];
  const lease = redis.hash(leaseKey);
  const held = lease.get('token');
  const left = Number(lease.get('until') ?? '0') - redis.now;
  if (held !== undefined && held !== token && left > 0) return ['BUSY', left, lease.get('owner') ?? ''];

  const log = redis.stream(stream);
  const known = log.groups.get(group);
  let low = lease.get('low');
  let removed = 0;
  if (known === undefined) {
    if (low === undefined) low = from === '$' ? log.last : from;
    else if (compareIds(log.last, low) < 0) {
      low = '0-0';
      redis.delete(retries, attempts);
    } else {
      lease.set('known', later(lease.get('known'), lease.get('fetched') ?? low));
      const gone = [...redis.hash(attempts).keys()].filter((id) => !id.startsWith('r') && !log.has(id));
      forget(redis, retries, attempts, gone);
    }
    log.createGroup(group, low);
  } else {
    low ??= '0-0';
    const isNew = (id: string): boolean => compareIds(id, known.delivered) > 0;
    if (log.entries.every(({ id }) => isNew(id))) {
      removed = log.added.filter((id) => isNew(id)).length - log.entries.length;
    }
  }
  const fetched = known?.delivered ?? low;
  const dirty = held !== undefined && held !== token ? '1' : (lease.get('dirty') ?? '0');
  if (held !== token) {
    lease.set('epoch', String(Number(lease.get('epoch') ?? '0') + 1));
    lease.set('seq', '0');
  }
  const started = lease.get('started') ?? '';
  for (const [name, value] of Object.entries({ token, owner, dirty, low, fetched })) lease.set(name, value);
  lease.set('until', String(redis.now + ttl));
  redis.hash(holds).set(`g:${group}`, low);
  return ['OK', Number(lease.get('epoch')), low, fetched, Number(dirty), started, redis.now, removed];
};

const releasePartition: Model = (redis, [lease = ''], args) => {
  if (!isOwner(redis, lease, args.text())) return 0;
  for (const name of ['token', 'until', 'owner', 'dirty', 'started']) redis.hash(lease).delete(name);
  return 1;
};

const renewLeases: Model = (redis, keys, args) => {
  const until = redis.now + args.number();
  return keys.map((lease) => {
    if (!isOwner(redis, lease, args.text())) return 0;
    redis.hash(lease).set('until', String(until));
    return 1;
  });
};

const takeOverPending: Model = (redis, keys, args) => {
  const [stream, lease, retries, attempts] = keys as [string, string, string, string];
  if (!isOwner(redis, lease, args.text())) return ['FENCED'];
  const [name, consumer, cursor, count] = [args.text(), args.text(), args.text(), args.number()];
  const group = redis.group(stream, name);
  if (group === undefined) return ['NOGROUP'];
  const { next, ids, gone } = redis.stream(stream).claimPage(group, consumer, cursor, count);
  const entries = ids.map((id) => [id, ...retryFacts(redis, retries, attempts, id)]);
  forget(redis, retries, attempts, gone);
  if (next === '0-0') {
    const busy = new Set(group.pending.values());
    for (const each of group.consumers)
      if (each !== consumer && !busy.has(each)) group.consumers.delete(each);
  }
  return ['OK', next, entries, gone];
};

const loadEntries: Model = (redis, [stream = ''], args) => {
  let budget = args.number();
  const entries: RedisReply[] = [];
  for (const id of args.texts()) {
    if (budget <= 0) break;
    const fields = redis.streams.get(stream)?.entries.find((entry) => entry.id === id)?.fields;
    entries.push([id, fields === undefined ? null : [...fields]]);
    fields?.forEach((field, at) => (budget -= at % 2 === 1 ? field.length : 0));
  }
  return entries;
};

const fetchEntries: Model = (redis, keys, args) => {
  const [stream, lease, redelivery, retries, attempts] = keys as [string, string, string, string, string];
  if (!isOwner(redis, lease, args.text())) return ['FENCED'];
  const [name, consumer, after, wanted, again] = [
    args.text(),
    args.text(),
    args.text(),
    args.number(),
    args.text(),
  ];
  const redelivered = (
    redis.streams.get(redelivery)?.range(again, undefined, Math.ceil(wanted / 2)) ?? []
  ).map(({ id, fields }) => [id, [...fields], ...retryFacts(redis, retries, attempts, `r${id}`)]);
  const count = wanted - redelivered.length;
  const fetched = redis.hash(lease).get('fetched') ?? '0-0';
  if (compareIds(fetched, after) < 0) return ['ROLLED_BACK'];
  if (count === 0) return ['OK', [], redelivered, []];
  const known = (entries: readonly ModelEntry[]): RedisReply[] =>
    knownFacts(redis, { lease, retries, attempts, after }, entries);
  const lost = fetched === after ? [] : (redis.streams.get(stream)?.range(after, fetched, count) ?? []);
  if (lost.length > 0) return ['OK', flat(lost), redelivered, known(lost)];
  const group = redis.group(stream, name);
  if (group === undefined) return ['NOGROUP'];
  const entries = redis.stream(stream).deliver(group, consumer, count);
  redis.hash(lease).set('fetched', entries.at(-1)?.id ?? fetched);
  return ['OK', flat(entries), redelivered, known(entries)];
};

/** What is known of entries that a group which was made again is given anew. */
function knownFacts(
  redis: ModelRedis,
  { lease, retries, attempts, after }: { lease: string; retries: string; attempts: string; after: string },
  entries: readonly ModelEntry[],
): RedisReply[] {
  const known = redis.hash(lease).get('known');
  if (known === undefined || entries.length === 0) return [];
  if (compareIds(after, known) >= 0) {
    redis.hash(lease).delete('known');
    return [];
  }
  return entries
    .map(({ id }) => [id, ...retryFacts(redis, retries, attempts, id)])
    .filter(([, due, failed]) => due !== '' || failed !== '');
}

const settleMessages: Model = (redis, keys, args) => {
  const [stream, leaseKey, holds, retries, attempts, dead, redelivery] = keys as Seven;
  if (!isOwner(redis, leaseKey, args.text())) return ['FENCED'];
  const lease = redis.hash(leaseKey);
  const [name, seq, low, started] = [args.text(), args.number(), args.text(), args.text()];
  const executed = Number(lease.get('seq'));
  if (seq <= executed) return ['OK', 0];
  if (seq > executed + 1) return ['ROLLED_BACK'];
  const group = redis.group(stream, name);
  if (group === undefined) return ['NOGROUP'];

  for (const id of args.texts(args.number())) group.pending.delete(id);
  const doneAgain = args.texts(args.number());
  redis.streams.get(redelivery)?.remove(doneAgain);
  forget(redis, retries, attempts, args.texts(args.number()));
  for (let n = args.number(); n > 0; n--) {
    const [id, failed, delay] = [args.text(), args.text(), args.number()];
    redis.sortedSet(retries).set(id, redis.now + delay);
    redis.hash(attempts).set(id, failed);
  }
  let written = 0;
  for (let n = args.number(); n > 0; n--) {
    const [id, original, failed, reason, error] = [
      args.text(),
      args.text(),
      args.text(),
      args.text(),
      args.text(),
    ];
    const fields = Array.from({ length: args.number() }, () => args.bytes());
    const removed = id.startsWith('r')
      ? redis.streams.get(redelivery)?.remove([id.slice(1)]) === 1
      : group.pending.delete(id);
    if (removed) {
      const facts = { o: original, g: name, n: failed, t: String(redis.now), r: reason, e: error };
      redis.add(dead, [...Object.entries(facts).flat(), ...fields]);
      written++;
    }
    forget(redis, retries, attempts, [id]);
  }

  const stored = lease.get('low');
  if (stored === undefined || compareIds(stored, low) < 0) {
    lease.set('low', low);
    redis.hash(holds).set(`g:${name}`, low);
  }
  lease.set('seq', String(seq));
  if (started === '') {
    lease.set('dirty', '0');
    lease.delete('started');
  } else if (started !== '=') lease.set('started', started);
  return ['OK', written];
};

const meetGroup: Model = (redis, [meta = '', membersKey = ''], args) => {
  const [member, facts, ttl] = [args.text(), args.text(), args.number()];
  const members = redis.hash(membersKey);
  if (ttl > 0) members.set(member, `${redis.now + ttl} ${facts}`);
  else members.delete(member);
  const partitions = redis.hashes.get(meta)?.get('partitions');
  if (partitions === undefined) return ['UNKNOWN'];
  const alive: RedisReply[] = [];
  for (const [id, said] of members) {
    const left = Number(said.slice(0, said.indexOf(' '))) - redis.now;
    if (left > 0) alive.push([id, left, said.slice(said.indexOf(' ') + 1)]);
    else members.delete(id);
  }
  return ['OK', Number(partitions), Number(redis.hash(meta).get('shards')), alive];
};

type Seven = [string, string, string, string, string, string, string];

const SCRIPTS: Readonly<Record<string, Model>> = {
  'acquire-partition': acquirePartition,
  'release-partition': releasePartition,
  'renew-leases': renewLeases,
  'take-over-pending': takeOverPending,
  'load-entries': loadEntries,
  'fetch-entries': fetchEntries,
  'settle-messages': settleMessages,
  'meet-group': meetGroup,
};

function later(a: string | undefined, b: string): string {
  return a !== undefined && compareIds(a, b) > 0 ? a : b;
}

function isOwner(redis: ModelRedis, lease: string, token: string): boolean {
  return redis.hashes.get(lease)?.get('token') === token;
}

function retryFacts(redis: ModelRedis, retries: string, attempts: string, id: string): [string, string] {
  const due = redis.sortedSets.get(retries)?.get(id);
  return [due === undefined ? '' : String(due), redis.hashes.get(attempts)?.get(id) ?? ''];
}

function forget(redis: ModelRedis, retries: string, attempts: string, ids: readonly string[]): void {
  for (const id of ids) {
    redis.sortedSets.get(retries)?.delete(id);
    redis.hashes.get(attempts)?.delete(id);
  }
}

function flat(entries: readonly ModelEntry[]): RedisReply[] {
  let before: Buffer | undefined;
  return entries.flatMap(({ id, fields }): RedisReply[] => {
    const names = fields.filter((_, at) => at % 2 === 0).join();
    const [, m, , k, , h, , d] = fields;
    if (names !== 'm,k,h,d' || fields.length !== 8) return [id, [...fields], null, null, null];
    const same = m !== undefined && before?.equals(m) === true;
    before = m;
    return [id, same ? null : (m ?? null), orNull(k), orNull(h), d ?? null];
  });
}

function orNull(field: Buffer | undefined): Buffer | null {
  return field === undefined || field.length === 0 ? null : field;
}

/** Ids that the group has pending, in order. */
export function pendingOf(redis: ModelRedis, stream: string, group: string): string[] {
  const found = redis.group(stream, group);
  return found === undefined ? [] : pendingIds(found);
}
