import { expect, test } from '@jest/globals';
import { valueState } from '@rs/core';
import { StreamExecutionEnvironment } from '../index.ts';

test('golden', () => {
  const env = StreamExecutionEnvironment.getExecutionEnvironment().enableCheckpointing();
  const coordinator = env.getCheckpointCoordinator();
  const keyed = env.fromElements(1, 2, 3).keyBy(() => 'k');
  const sum = keyed.getState(valueState('sum', { default: () => 0 }));
  const out: string[] = [];
  let id = 0;
  keyed.process<string>((_key, value, _ctx, out) => {
    if (value === 2) { sum.update(999); void coordinator?.restoreFromCheckpoint(id); out.collect(`restored=${sum.value()}`); }
    sum.update(sum.value() + value);
    out.collect(`sum=${sum.value()}`);
    if (value === 1) id = coordinator?.triggerCheckpoint() ?? -1;
  }).addSink((line) => void out.push(line));
  expect(out).toEqual(['sum=1', 'restored=1', 'sum=3', 'sum=6']);
});
