import { type Case, highest, type Probe, type Role, type Variant } from '@rs/bench-harness';
import { findByHand } from './by-hand.ts';
import { type Step, steps } from './input.ts';
import { findByJob } from './job.ts';
import { findByMatchers } from './matchers.ts';
import { findByBuffers, findByScan } from './rxjs.ts';
import type { Tally } from './tally.ts';

type Find = (steps: readonly Step[]) => Tally | Promise<Tally>;

/** Three events a, b, c of a key, one directly behind the other, in so many events: a matcher for each key. */
export function strictSequence(events: number, probe: Probe): Case {
  return sequenceCase('strict sequence', events, probe, [
    ['by hand', 'limit', findByHand],
    ['@rs', 'ours', findByMatchers],
    ['rxjs bufferCount', 'peer', findByBuffers],
    ['rxjs scan', 'peer', findByScan],
  ]);
}

/** The same as a part of a job on the in-memory engine. */
export function strictSequenceAsJob(events: number, probe: Probe): Case {
  return sequenceCase('strict sequence in a job', events, probe, [
    ['by hand', 'limit', findByHand],
    ['@rs', 'ours', findByJob],
    ['matchers', 'aside', findByMatchers],
  ]);
}

function sequenceCase(
  name: string,
  events: number,
  probe: Probe,
  ways: readonly (readonly [string, Role, Find])[],
): Case {
  return {
    name,
    unit: 'records/s',
    figures: { rssMb: { of: highest, digits: 1, text: (mb) => `the process took ${mb} MB at most` } },
    open: () => {
      const input = steps(events);
      const variants = ways.map(([way, role, find]): Variant => ({
        name: way,
        role,
        run: async () => {
          // Garbage is not collected before: with millions of events alive that slows down the run behind it, the shortest most.
          const start = probe.now();
          const tally = await find(input);
          const seconds = (probe.now() - start) / 1000;
          return { value: events / seconds, records: events, result: tally.toString() };
        },
      }));
      return { variants, extra: () => ({ rssMb: probe.rssMb() }) };
    },
  };
}
