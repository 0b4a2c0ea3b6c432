import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Fate } from '../test-support/model-outputs.ts';
import { type Owner, OutputWorld } from '../test-support/output-world.ts';

const fates = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Fate>('ok') },
    { weight: 4, arbitrary: fc.constantFrom<Fate>('refused', 'lost', 'late') },
  ),
  { maxLength: 60, size: 'max' },
);

/** What happens to a task, one after the other. */
type Step =
  | { readonly type: 'commit'; readonly count: number }
  /** A batch that is undone. */
  | { readonly type: 'undone' }
  /** The answer to a commit never comes, and the owner dies. */
  | { readonly type: 'unanswered'; readonly count: number }
  | { readonly type: 'crash' }
  /** The owner is replaced and goes on delivering for a while. */
  | { readonly type: 'replaced' }
  | { readonly type: 'time'; readonly ms: number }
  /** Calls that were on their way are executed. */
  | { readonly type: 'late' };

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('commit' as const), count: fc.nat({ max: 40 }) }) },
    { weight: 1, arbitrary: fc.constant<Step>({ type: 'undone' }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('unanswered' as const), count: fc.nat({ max: 9 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Step>({ type: 'crash' }, { type: 'replaced' }, { type: 'late' }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.nat({ max: 200 }) }) },
  ),
  { maxLength: 25, size: 'max' },
);

async function live(world: OutputWorld, story: readonly Step[]): Promise<{ owner: Owner; lives: Owner[] }> {
  let owner = await world.acquire();
  const lives = [owner];
  const replace = async (): Promise<void> => {
    owner = await world.acquire();
    lives.push(owner);
  };
  for (const step of story) {
    switch (step.type) {
      case 'commit':
        world.commit(owner, step.count);
        break;
      case 'undone':
        world.forget(owner);
        break;
      case 'unanswered':
        world.commit(owner, step.count, { answered: false });
        void owner.outputs.close();
        await replace();
        break;
      case 'crash':
        void owner.outputs.close();
        await replace();
        break;
      case 'replaced':
        await replace();
        break;
      case 'late':
        world.redis.executeLate();
        break;
      case 'time':
        await world.timers.advance(step.ms);
    }
  }
  await world.settle(owner);
  world.redis.executeLate();
  await world.timers.advance(100);
  return { owner, lives };
}

describe('whatever happens on the way', () => {
  test('a topic has every committed result once, those of a key in order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fates, fc.constantFrom(200, 100_000), async (story, all, memory) => {
        const world = new OutputWorld({ fates: all, memory });
        const { owner } = await live(world, story);
        expect(world.delivered()).toEqual(world.expected());
        expect(owner.fatal).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('a function sink gets every committed result, in order; what it gets again, it got before', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fates,
        fc.array(fc.boolean(), { maxLength: 40, size: 'max' }),
        async (story, all, failing) => {
          const world = new OutputWorld({ fates: all, failing });
          const { lives } = await live(world, story);
          expect([...new Set(world.given)]).toEqual(world.committed);
          // Each owner begins somewhere and leaves nothing out.
          for (const { given } of lives) {
            const from = world.committed.indexOf(given[0] ?? 0);
            expect(given).toEqual(world.committed.slice(from, from + given.length));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('out logs are trimmed once cursors are written, and nothing else is kept', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const world = new OutputWorld();
        const { owner } = await live(world, story);
        expect(owner.outputs.undelivered()).toEqual({ topic: 0, function: 0 });
        world.commit(owner, 0);
        expect([owner.outputs.moved, owner.outputs.full]).toEqual([false, false]);
        world.commit(owner, 0);
        expect([world.redis.stream('out:topic'), world.redis.stream('out:function')]).toEqual([[], []]);
      }),
      { numRuns: 100 },
    );
  });
});
