import { describe, expect, test } from '@jest/globals';
import { defineJob, type JobDefinition } from '@rs/core';
import fc from 'fast-check';
import { checkpointed } from '../test-support/checkpointed.ts';
import { type Event, EVENT_JOBS } from '../test-support/event-jobs.ts';
import { Ledger } from '../test-support/ledger.ts';
import { Life } from '../test-support/life.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { run } from '../test-support/run.ts';
import { TextStorage } from '../test-support/text-storage.ts';

const drawnEvents = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b', '__proto__'),
    step: fc.integer({ min: -8, max: 12 }),
    amount: fc.integer({ min: 0, max: 9 }),
  }),
  { minLength: 1, maxLength: 40 },
);

function eventsOf(drawn: readonly { key: string; step: number; amount: number }[]): Event[] {
  let time = 0;
  return drawn.map(({ key, step, amount }) => ({ key, amount, time: (time += step) }));
}

type DefineJob = (typeof EVENT_JOBS)[string];

/** What a job gives when nothing happens to it, by stream. */
async function expectedOf(define: DefineJob, events: readonly Event[]): Promise<unknown[][]> {
  const results: unknown[][] = [];
  await run('async', (env) => {
    const input = env.fromElements(...events).map((event) => event);
    define(input, env).forEach((stream, index) => {
      results[index] = [];
      stream.addSink((value) => void results[index]?.push(value));
    });
  });
  return results;
}

describe.each(Object.entries(EVENT_JOBS))('%s', (_name, define) => {
  test('what was sent before a checkpoint and what comes after going back to it is what an undisturbed run gives', async () => {
    await fc.assert(
      fc.asyncProperty(drawnEvents, fc.nat(40), fc.nat(10), async (drawn, before, between) => {
        const events = eventsOf(drawn);
        const storage = new TextStorage();
        const results: unknown[][] = [];
        let kept: number[] = [];
        const attempt = (crash: boolean) => {
          const logger = new RecordingLogger();
          const { env, coordinator } = checkpointed('async', { storage }, { logger });
          let seen = 0;
          let left = Infinity;
          const job = defineJob((env) => {
            const input = env.fromElements(...events).map((event) => {
              if (!crash) return event;
              if (seen++ === before) coordinator.triggerCheckpoint();
              if (--left < 0) throw new Error('crash');
              return event;
            });
            define(input, env).forEach((stream, index) => {
              results[index] ??= [];
              stream.addSink({
                invoke: (value) => void results[index]?.push(value),
                onCheckpointStart: (id) => {
                  if (id === 1 && crash) kept[index] = results[index]?.length ?? 0;
                },
                onCheckpointComplete: () => {
                  left = between;
                },
              });
            });
          });
          return env.executeAsync(job).then(
            ({ status }) => status,
            () => 'failed',
          );
        };
        const first = await attempt(true);
        if (first === 'failed') kept.forEach((length, index) => results[index]?.splice(length));
        kept = [];
        expect(await attempt(false)).toBe('finished');
        expect(results).toEqual(await expectedOf(define, events));
      }),
      { numRuns: 60, seed: 20261202 },
    );
  });
});

describe('a transactional sink has each result once, in order', () => {
  const [drawn = []] = fc.sample(drawnEvents, { numRuns: 1, seed: 11 });
  const sampled = eventsOf([...drawn, ...drawn]);

  /** Checkpoints after some of the records, and a sink for each stream. */
  const jobOf = (
    define: DefineJob,
    events: readonly Event[],
    ledgers: readonly Ledger[],
    life: Life,
    take: () => void,
  ): JobDefinition =>
    defineJob((env) => {
      const input = env.fromElements(...events).map((event) => {
        life.step();
        if (event.amount % 3 === 0) take();
        return event;
      });
      define(input, env).forEach((stream, index) => {
        const ledger = ledgers[index] ?? new Ledger();
        stream.addSink(ledger.sink(life.step), { uid: `ledger-${index}` });
      });
    });

  /** Lets processes run the job one after the other until one comes to its end. Returns whether the first one died. */
  async function live(
    define: DefineJob,
    events: readonly Event[],
    ledgers: readonly Ledger[],
    lives: readonly Life[],
  ): Promise<boolean> {
    const storage = new TextStorage();
    for (const life of [...lives, new Life()]) {
      const options = { logger: new RecordingLogger() };
      const { env, coordinator } = checkpointed(
        'async',
        { storage: life.storage(storage), keep: 2 },
        options,
      );
      const job = jobOf(define, events, ledgers, life, () => void coordinator.triggerCheckpoint());
      const status = await env.executeAsync(job).then(
        (result) => result.status,
        () => 'failed',
      );
      if (status === 'finished') break;
    }
    return lives[0]?.dead === true;
  }

  const ledgersFor = (results: readonly unknown[][]) => results.map(() => new Ledger());

  test.each(Object.entries(EVENT_JOBS))('%s: wherever the process dies', async (_name, define) => {
    const events = sampled.slice(0, 12);
    const expected = await expectedOf(define, events);
    let deaths = 0;
    for (let lastStep = 0; ; lastStep++) {
      const ledgers = ledgersFor(expected);
      const died = await live(define, events, ledgers, [new Life(lastStep)]);
      expect({ lastStep, results: ledgers.map(({ committed }) => committed) }).toEqual({
        lastStep,
        results: expected,
      });
      if (!died) break;
      deaths++;
    }
    expect(deaths).toBeGreaterThan(40);
  });

  test.each(Object.entries(EVENT_JOBS))('%s: wherever several processes die', async (_name, define) => {
    await fc.assert(
      fc.asyncProperty(
        drawnEvents,
        fc.array(fc.nat(90), { minLength: 1, maxLength: 5 }),
        async (all, lastSteps) => {
          const events = eventsOf(all);
          const expected = await expectedOf(define, events);
          const ledgers = ledgersFor(expected);
          await live(
            define,
            events,
            ledgers,
            lastSteps.map((lastStep) => new Life(lastStep)),
          );
          expect(ledgers.map(({ committed }) => committed)).toEqual(expected);
        },
      ),
      { numRuns: 40, seed: 20261203 },
    );
  });
});
