import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { compile } from '../program/program.ts';
import { events as anyEvents, plan as anyPlan } from '../test-support/arbitrary-plan.ts';
import { patternOf } from '../test-support/plan-pattern.ts';
import { documentOf, eventEntry, runEntry } from './document.ts';
import { MatcherCore } from './matcher-core.ts';
import { limitsOf } from './options.ts';

test('what has changed since the last collection makes the stored state whole again', () => {
  fc.assert(
    fc.property(anyPlan, anyEvents, fc.integer({ min: 1, max: 3 }), (plan, events, every) => {
      const core = new MatcherCore(compile(patternOf(plan).spec), limitsOf({}));
      const changes = core.store.track();
      const storedEvents = new Map<number, unknown>();
      const storedRuns = new Map<number, unknown>();
      let time = 0;
      events.forEach((event, position) => {
        core.process({ ...event, position }, (time += event.wait));
        if (position % every !== 0) return;
        for (const [seq, stored] of changes.storedEvents) storedEvents.set(seq, eventEntry(stored));
        for (const [id, run] of changes.changedRuns) storedRuns.set(id, runEntry(run));
        for (const seq of changes.removedEvents) expect(storedEvents.delete(seq)).toBe(true);
        for (const id of changes.removedRuns) expect(storedRuns.delete(id)).toBe(true);
        core.store.collected();
        const document = documentOf(core);
        expect([...storedEvents.values()]).toEqual(document.events);
        expect([...storedRuns.entries()].sort(([a], [b]) => a - b).map(([, entry]) => entry)).toEqual(
          document.runs,
        );
      });
    }),
    { numRuns: 2_000, seed: 2_026 },
  );
});
