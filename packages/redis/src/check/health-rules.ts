import { type Verdict, error, ok, warning } from './finding.ts';
import type { ServerFacts } from './server-facts.ts';
import { numberIn } from './server-info.ts';

/** From here on each is worth a warning. Times in milliseconds, memory as a share of the limit. */
const LIMITS = { clockOffset: 1_000, roundTrip: 20, memory: 0.8, memoryFull: 0.95, replicaLag: 10 } as const;

/** How a server is doing at the moment. */
export function checkHealth(facts: ServerFacts): Verdict[] {
  return [clock(facts), latency(facts), memory(facts), ...replication(facts)];
}

function clock({ clockOffset, roundTrip }: ServerFacts): Verdict {
  const message = `its clock is ${Math.abs(clockOffset)} ms ${clockOffset < 0 ? 'behind' : 'ahead of'} ours`;
  if (Math.abs(clockOffset) <= LIMITS.clockOffset + roundTrip / 2) return ok('clock', message);
  return warning(
    'clock',
    message,
    'leases and retries go by its clock and do not mind, but times that you stamp yourself do: run NTP on both',
  );
}

function latency({ roundTrip }: ServerFacts): Verdict {
  const message = `PING takes ${roundTrip} ms`;
  if (roundTrip < LIMITS.roundTrip) return ok('latency', message);
  return warning(
    'latency',
    message,
    'bring workers and Redis into the same region; look for slow commands with SLOWLOG GET, and for a busy event loop here',
  );
}

function memory({ info }: ServerFacts): Verdict {
  const used = numberIn(info, 'used_memory');
  const limit = numberIn(info, 'maxmemory');
  if (used === undefined || limit === undefined)
    return ok('memory', 'it does not tell how much memory it uses');
  const system = numberIn(info, 'total_system_memory') ?? 0;
  const most = limit > 0 ? limit : system;
  const share = most > 0 ? used / most : 0;
  const of = limit > 0 ? `of maxmemory ${mib(limit)}` : 'without a maxmemory';
  const message = `it uses ${mib(used)} ${of}`;
  const advice =
    'shorten retention, let slow groups catch up, or give it more memory; when it is full, nothing can be written';
  if (share >= LIMITS.memoryFull) return error('memory', message, advice);
  return share >= LIMITS.memory ? warning('memory', message, advice) : ok('memory', message);
}

function replication({ info }: ServerFacts): Verdict[] {
  if (info.get('role') !== 'master') return [];
  const count = numberIn(info, 'connected_slaves') ?? 0;
  if (count === 0)
    return [ok('replication', 'it has no replicas: when it is lost, so is what its disk does not have')];
  const late: string[] = [];
  for (let i = 0; i < count; i++) {
    const replica = info.get(`slave${i}`);
    if (replica !== undefined && !isSound(replica)) late.push(replica);
  }
  if (late.length === 0) return [ok('replication', `${count} replica${count === 1 ? '' : 's'} in step`)];
  return [
    warning(
      'replication',
      `${late.length} of ${count} replicas ${late.length === 1 ? 'is' : 'are'} not in step: ${late.join('; ')}`,
      'look into the log of the replica: a failover to it would lose what it does not have',
    ),
  ];
}

/** Of `ip=10.0.0.2,port=6379,state=online,offset=14,lag=0`. */
function isSound(replica: string): boolean {
  const fields = new Map(replica.split(',').map((field) => [field.split('=')[0], field.split('=')[1]]));
  return fields.get('state') === 'online' && Number(fields.get('lag') ?? 0) <= LIMITS.replicaLag;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
