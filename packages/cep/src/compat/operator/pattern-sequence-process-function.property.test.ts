import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { EventSequence } from '../event-sequence.ts';
import type { PatternSequence } from '../pattern-sequence.ts';
import { arbitraryEvent, arbitrarySequence } from '../test-support/arbitrary-sequence.ts';
import { KeyedRun } from '../test-support/keyed-run.ts';
import { OriginalOperator, type TimedRecord } from '../test-support/original-operator.ts';
import { PatternSequenceProcessFunction } from './pattern-sequence-process-function.ts';

const arbitraryRecord = fc.record({ key: fc.constantFrom('k1', 'k2', 'k3', 'k4'), event: arbitraryEvent });
const arbitraryRecords = fc.array(arbitraryRecord, { minLength: 1, maxLength: 16 });

/** Events of one type and time are alike, so that documents of different times can be too. */
function timed(records: readonly { key: string; event: { type: string; wait: number } }[]): TimedRecord[] {
  let time = 0;
  return records.map(({ key, event }) => ({ key, event: event.type, time: (time += event.wait) }));
}

function operator(sequence: PatternSequence<string>, maxTrackedKeys: number) {
  // The time is not part of the event, which is what the sequence's conditions take.
  let time = 0;
  const fn = new PatternSequenceProcessFunction<string, string>(sequence, () => time, maxTrackedKeys);
  return {
    fn,
    at: (now: number) => {
      time = now;
    },
  };
}

const shown = ({ events, startTime, endTime }: EventSequence<string>): string =>
  `${events.join(' ')} ${startTime} ${endTime}`;

test('finds what the original operator finds, stores what it stores and evicts what it evicts, also over a restart', () => {
  fc.assert(
    fc.property(
      arbitrarySequence,
      arbitraryRecords,
      fc.integer({ min: 0, max: 3 }),
      fc.nat(20),
      (sequence, records, maxTrackedKeys, restartAt) => {
        let ours = operator(sequence, maxTrackedKeys);
        const run = new KeyedRun(ours.fn);
        const original = new OriginalOperator(sequence, maxTrackedKeys);
        timed(records).forEach((record, at) => {
          if (at === restartAt) {
            ours = operator(sequence, maxTrackedKeys);
            run.restart(ours.fn);
            original.restart();
          }
          ours.at(record.time);
          expect(run.process(record.key, record.event).map(shown)).toEqual(original.process(record));
          expect(run.stored(record.key, '__operator.cep.partials')).toEqual(original.stored(record.key));
        });
      },
    ),
    { numRuns: 2_000, seed: 20_266 },
  );
});

test('batches that are undone leave no trace', () => {
  const batches = fc.array(
    fc.record({ records: fc.array(arbitraryRecord, { maxLength: 5 }), undone: fc.boolean() }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(arbitrarySequence, batches, (sequence, given) => {
      const ours = operator(sequence, 0);
      const run = new KeyedRun(ours.fn);
      const original = new OriginalOperator(sequence, 0);
      for (const { records, undone } of given) {
        const batch = timed(records);
        const emitted = batch.map(({ key, event, time }) => {
          ours.at(time);
          return run.process(key, event).map(shown);
        });
        if (undone) {
          run.undo();
        } else {
          run.commit();
          expect(emitted).toEqual(batch.map((record) => original.process(record)));
        }
      }
    }),
    { numRuns: 1_000, seed: 20_267 },
  );
});

test('a batch that is undone and given again finds what it would have found at once, when no key is evicted', () => {
  fc.assert(
    fc.property(arbitrarySequence, arbitraryRecords, fc.nat(16), (sequence, records, failsAt) => {
      const ours = operator(sequence, 4);
      const run = new KeyedRun(ours.fn);
      const process = ({ key, event, time }: TimedRecord) => {
        ours.at(time);
        return run.process(key, event).map(shown);
      };
      const original = new OriginalOperator(sequence, 4);
      const batch = timed(records);
      const half = Math.floor(batch.length / 2);
      expect(batch.slice(0, half).map(process)).toEqual(
        batch.slice(0, half).map((record) => original.process(record)),
      );
      run.commit();
      const second = batch.slice(half);
      second.slice(0, failsAt).forEach(process);
      run.undo();
      expect(second.map(process)).toEqual(second.map((record) => original.process(record)));
    }),
    { numRuns: 1_000, seed: 20_268 },
  );
});
