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
  const job = lease.get('job');
  if (job !== undefined) return ['JOB', job];
  const held = lease.get('token');
  if (held !== undefined && held !== token) {
    const longest = Number(lease.get('ttl') ?? ttl);
    const left = Math.min(Number(lease.get('until') ?? '0') - redis.now, longest);
    if (left === longest) lease.set('until', String(redis.now + longest));
    if (left > 0) return ['BUSY', left, lease.get('owner') ?? ''];
  }

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
  let crashes = Number(lease.get('crashes') ?? '0');
  if (held !== undefined && held !== token) {
    crashes = lease.has('started') || lease.get('crashed-at') === low ? crashes + 1 : 1;
  }
  if (held !== token) {
    lease.set('epoch', String(Number(lease.get('epoch') ?? '0') + 1));
    lease.set('seq', '0');
  }
  const started = lease.get('started') ?? '';
  for (const [name, value] of Object.entries({
    token,
    owner,
    crashes: String(crashes),
    'crashed-at': low,
    low,
    fetched,
  }))
    lease.set(name, value);
  lease.set('until', String(redis.now + ttl)).set('ttl', String(ttl));
  redis.hash(holds).set(`g:${group}`, low);
  return ['OK', Number(lease.get('epoch')), low, fetched, crashes >= 2 ? 1 : 0, started, redis.now, removed];
};

const releasePartition: Model = (redis, [lease = ''], args) => {
  if (!isOwner(redis, lease, args.text())) return 0;
  for (const name of ['token', 'until', 'ttl', 'owner', 'crashes', 'crashed-at', 'started'])
    redis.hash(lease).delete(name);
  return 1;
};

const renewLeases: Model = (redis, keys, args) => {
  const ttl = args.number();
  return keys.map((lease) => {
    if (!isOwner(redis, lease, args.text())) return 0;
    redis
      .hash(lease)
      .set('until', String(redis.now + ttl))
      .set('ttl', String(ttl));
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
  const [budget, step, confirmed] = [args.number(), args.number(), args.number()];
  const fetched = redis.hash(lease).get('fetched') ?? '0-0';
  if (compareIds(fetched, after) < 0 || Number(redis.hash(lease).get('seq')) < confirmed)
    return ['ROLLED_BACK'];

  const most = Math.ceil(wanted / 2);
  const waiting = redis.streams.get(redelivery)?.range(again, undefined, most) ?? [];
  const fitting = waiting.filter((_, at) => bytesOf(waiting.slice(0, at)) < budget / 2);
  const redelivered = fitting.map(({ id, fields }) => [
    id,
    [...fields],
    ...retryFacts(redis, retries, attempts, `r${id}`),
  ]);
  const moreAgain = fitting.length >= most || bytesOf(fitting) >= budget / 2 ? 1 : 0;
  const left = { count: wanted - fitting.length, budget: budget - bytesOf(fitting), step };
  const reply = (entries: readonly ModelEntry[], more: number): RedisReply => {
    const known = knownFacts(redis, { lease, retries, attempts, after }, entries);
    return ['OK', flat(entries), redelivered, known, moreAgain, more];
  };
  if (fetched !== after) {
    const log = redis.streams.get(stream);
    const lost = portions(left, (count, last) => log?.range(last ?? after, fetched, count) ?? []);
    if (lost.entries.length > 0) return reply(lost.entries, 1);
  }
  if (left.count === 0 || left.budget <= 0) return reply([], 1);
  const group = redis.group(stream, name);
  if (group === undefined) return ['NOGROUP'];
  const { entries, more } = portions(left, (count) => redis.stream(stream).deliver(group, consumer, count));
  redis.hash(lease).set('fetched', entries.at(-1)?.id ?? fetched);
  return reply(entries, more);
};

/** Reads a few at a time, until there are enough, or enough bytes, or there is nothing more. */
function portions(
  limits: { readonly count: number; readonly budget: number; readonly step: number },
  read: (count: number, last: string | undefined) => readonly ModelEntry[],
): { entries: ModelEntry[]; more: number } {
  const entries: ModelEntry[] = [];
  let { count, budget, step } = limits;
  while (count > 0 && budget > 0) {
    const most = Math.min(step, count);
    const found = read(most, entries.at(-1)?.id);
    entries.push(...found);
    if (found.length < most) return { entries, more: 0 };
    count -= found.length;
    budget -= bytesOf(found);
    const fitting = Math.ceil((budget * found.length) / Math.max(1, bytesOf(found)));
    step = Math.max(1, Math.min(64, step * 2, fitting));
  }
  return { entries, more: 1 };
}

function bytesOf(entries: readonly ModelEntry[]): number {
  return entries.flatMap(({ fields }) => fields).reduce((sum, { length }) => sum + length, 0);
}

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
  if ([...group.pending.values()].some((consumer) => consumer !== 'owner')) return ['FOREIGN'];

  for (const id of args.texts(args.number())) group.pending.delete(id);
  const doneAgain = args.texts(args.number());
  redis.streams.get(redelivery)?.remove(doneAgain);
  forget(redis, retries, attempts, args.texts(args.number()));
  for (let n = args.number(); n > 0; n--) {
    const [id, failed, delay] = [args.text(), args.text(), args.number()];
    redis.sortedSet(retries).set(id, redis.now + delay);
    redis.hash(attempts).set(id, `${failed} ${delay}`);
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
  if (started === '' || started === '-') {
    lease.delete('started');
    if (started === '-') for (const fact of ['crashes', 'crashed-at']) lease.delete(fact);
  } else if (started !== '=') lease.set('started', started);
  return ['OK', written];
};

const meetGroup: Model = (redis, [meta = '', membersKey = ''], args) => {
  const [member, facts, ttl, group] = [args.text(), args.text(), args.number(), args.text()];
  const job = redis.hashes.get(meta)?.get(`job:${group}`);
  if (ttl > 0 && job !== undefined) return ['JOB', job];
  const members = redis.hash(membersKey);
  if (ttl > 0) members.set(member, `${redis.now + ttl} ${ttl} ${facts}`);
  else members.delete(member);
  const partitions = redis.hashes.get(meta)?.get('partitions');
  if (partitions === undefined) return ['UNKNOWN'];
  const alive: RedisReply[] = [];
  for (const [id, said] of members) {
    const [, until, lasts, facts] = /^(\d+) (\d+) (.*)$/.exec(said) ?? [];
    const longest = Number(lasts);
    const left = Math.min(Number(until) - redis.now, longest);
    if (left === longest) members.set(id, `${redis.now + longest} ${longest} ${facts ?? ''}`);
    if (left > 0) alive.push([id, left, facts ?? '']);
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
