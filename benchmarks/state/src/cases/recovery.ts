import { setTimeout as delay } from 'node:timers/promises';
import { type Case, now, type Sample, Worker } from '@rs/bench-harness';
import { Redis } from 'ioredis';
import { payment } from '../load/payment.ts';
import { countedIn, readCounts } from '../ways/rs/counting-job.ts';
import type { Place } from '../ways/way.ts';
import type { Member } from '../worker/member.ts';
import { PARTITIONS, type Setting } from './setting.ts';

const LEASE_MS = 2_000;
const CUSTOMERS = 100;
/** Payments before the crash, and after it. */
const PAYMENTS = 1_000;
const POLL_MS = 5;
const PATIENCE_MS = 60_000;

/**
 * Two processes share a job; one is killed with SIGKILL, and payments are sent for all partitions: until each of them is committed. The
 * limit is the lease, during which nobody may take over.
 */
export function recovery(setting: Setting): Case {
  const { server, program } = setting;
  const place: Place = { host: server.host, port: server.port, partitions: PARTITIONS, prefix: 'rs' };
  return {
    name: `recovery after kill -9, lease of ${LEASE_MS / 1_000} s`,
    unit: 'ms',
    figures: {},
    open: () => ({
      variants: [
        { name: '@rs', role: 'ours', run: () => crash(setting, program, place) },
        { name: 'limit', role: 'limit', run: () => ({ value: LEASE_MS, records: PAYMENTS }) },
      ],
    }),
  };
}

async function crash({ server }: Setting, program: string, place: Place): Promise<Sample> {
  await server.empty();
  const redis = new Redis(place.port, place.host);
  const workers = ['sender', 'first', 'second'].map(() => new Worker<Member>(program, 'member'));
  try {
    const [sender, victim, heir] = workers;
    if (sender === undefined || victim === undefined || heir === undefined) {
      throw new Error('three processes are needed');
    }
    await sender.call('prepare', place);
    await Promise.all([victim, heir].map((each) => each.call('join', { place, leaseMs: LEASE_MS })));
    await until('each process to own a half', async () => {
      const owned = await Promise.all([victim, heir].map((each) => each.call('owned', undefined)));
      return owned.every((partitions) => partitions === PARTITIONS / 2);
    });
    const sendFrom = (first: number): Promise<void> =>
      sender.call('send', { place, first, count: PAYMENTS, customers: CUSTOMERS });
    const committed = (count: number) => async () => (await countedIn(redis, place)) === count;
    await sendFrom(0);
    await until('the first payments to be committed', committed(PAYMENTS));
    const killedAt = now();
    await victim.stop('SIGKILL');
    await sendFrom(PAYMENTS);
    await until('all payments to be committed', committed(2 * PAYMENTS));
    const value = now() - killedAt;
    checkCounts(await readCounts(redis, place));
    return { value, records: PAYMENTS };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
    await redis.quit();
  }
}

/** @throws Error unless each payment has the number that it has in the order of sending */
function checkCounts(counts: ReadonlyMap<number, number>): void {
  const expected = new Map<string, number>();
  for (let index = 0; index < 2 * PAYMENTS; index++) {
    const { customer, at } = payment(index, CUSTOMERS);
    const count = (expected.get(customer) ?? 0) + 1;
    expected.set(customer, count);
    if (counts.get(at) !== count) {
      throw new Error(`payment ${index} of ${customer} is number ${counts.get(at)}, not ${count}`);
    }
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = now() + PATIENCE_MS;
  while (!(await holds())) {
    if (now() > deadline) throw new Error(`Waited ${PATIENCE_MS / 1_000} s in vain for ${what}`);
    await delay(POLL_MS);
  }
}
