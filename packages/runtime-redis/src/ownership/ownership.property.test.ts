import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FakeTime } from '../test-support/fake-timers.ts';
import { type Fault, SharedRedis } from '../test-support/shared-redis.ts';
import { LEASE, SimulatedProcess } from '../test-support/simulated-job.ts';

const PARTITIONS = 5;

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('start' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), who: fc.nat({ max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), who: fc.nat({ max: 9 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('freeze' as const),
      who: fc.nat({ max: 9 }),
      ms: fc.integer({ min: 100, max: 3 * LEASE.stored }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('cut' as const),
      who: fc.nat({ max: 9 }),
      ms: fc.integer({ min: 100, max: 3 * LEASE.stored }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('faults' as const),
      faults: fc.array(fc.constantFrom<Fault>('lost', 'no reply', 'late', undefined), { maxLength: 20 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('slow' as const),
      who: fc.nat({ max: 9 }),
      delay: fc.nat({ max: 900 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 4_000 }) }) },
);

test('whatever happens, nobody works on what another one may work on, and in the end all is shared fairly', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const time = new FakeTime();
      const redis = new SharedRedis(time);
      const processes: SimulatedProcess[] = [];
      const gone = new Set<SimulatedProcess>();
      let faults: Fault[] = [];
      const delays = new Map<string, number>();
      const ownersOf = (partition: number): SimulatedProcess[] =>
        processes.filter(({ working }) => working.has(partition));
      const check = (): void => {
        for (let partition = 0; partition < PARTITIONS; partition++) {
          const owners = ownersOf(partition).map(({ name }) => name);
          if (owners.length > 1)
            throw new Error(`${owners.join(' and ')} work on ${partition} at ${time.now}`);
        }
      };
      /** Until when nothing of a process gets through. */
      const cut = new Map<string, number>();
      redis.onAcquired = check;
      redis.fate = (_, member) => {
        const isCut = (cut.get(member) ?? 0) > time.now;
        return { delay: delays.get(member) ?? 0, fault: isCut ? 'lost' : faults.shift() };
      };
      const begin = async (): Promise<void> => {
        const process = new SimulatedProcess(redis, `p${processes.length}`, { partitions: PARTITIONS });
        processes.push(process);
        let begun = false;
        process.loop.begin().then(
          () => {
            begun = true;
          },
          () => {
            // It is as if it had not been started.
            begun = true;
            gone.add(process);
          },
        );
        await time.until(() => begun, 60_000);
      };
      const among = (who: number): SimulatedProcess | undefined => {
        const alive = processes.filter((process) => !gone.has(process) && !process.timers.stopped);
        return alive[who % Math.max(1, alive.length)];
      };

      for (const each of steps) {
        switch (each.do) {
          case 'start':
            if (processes.length - gone.size < 5) await begin();
            break;
          case 'kill': {
            const victim = among(each.who);
            if (victim === undefined) break;
            victim.timers.kill();
            gone.add(victim);
            break;
          }
          case 'leave': {
            const leaving = among(each.who);
            if (leaving === undefined) break;
            gone.add(leaving);
            void leaving.leave();
            break;
          }
          case 'freeze': {
            const frozen = among(each.who);
            frozen?.timers.stop();
            if (frozen !== undefined) time.at(time.now + each.ms, () => frozen.timers.continue());
            break;
          }
          case 'cut': {
            const name = among(each.who)?.name;
            if (name !== undefined) cut.set(name, time.now + each.ms);
            break;
          }
          case 'faults':
            faults = [...each.faults];
            break;
          case 'slow': {
            const name = among(each.who)?.name;
            if (name !== undefined) delays.set(name, each.delay);
            break;
          }
          case 'wait':
            await time.advance(each.ms);
        }
        check();
      }

      // Everything is well again.
      faults = [];
      delays.clear();
      cut.clear();
      for (const { timers } of processes) timers.continue();
      if (processes.every((process) => gone.has(process))) await begin();
      await time.advance(40_000);
      const shares = processes.filter((process) => !gone.has(process)).map(({ working }) => working.size);
      expect(Array.from({ length: PARTITIONS }, (_, at) => ownersOf(at).length)).toEqual(
        Array.from({ length: PARTITIONS }, () => 1),
      );
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      // Each lease in Redis is that of the one who works: nothing is held that nobody works on.
      for (const [partition, { token }] of redis.leases) {
        expect(ownersOf(partition).map(({ working }) => working.get(partition)?.token)).toEqual([token]);
      }
    }),
    { numRuns: 100 },
  );
}, 60_000);
