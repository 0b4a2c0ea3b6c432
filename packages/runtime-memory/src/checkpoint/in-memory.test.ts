import { describe, expect, test } from '@jest/globals';
import { valueState } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { coded } from '../test-support/coded.ts';
import { checkpointed } from '../test-support/checkpointed.ts';

const sumState = valueState('sum', { default: () => 0 });

describe.each(['eager', 'async'] as const)('%s: within a run', (mode) => {
  test('a function takes a checkpoint, and goes back to it in the middle of a record', async () => {
    const { run, coordinator } = checkpointed(mode);
    const out: string[] = [];
    let id = 0;
    await run((env) => {
      const keyed = env.fromElements(1, 2, 3).keyBy(() => 'k');
      const sum = keyed.getState(sumState);
      keyed
        .process<string>((_key, value, _ctx, out) => {
          if (value === 2) {
            sum.update(999);
            void coordinator.restoreFromCheckpoint(id);
            out.collect(`restored=${sum.value()}`);
          }
          sum.update(sum.value() + value);
          out.collect(`sum=${sum.value()}`);
          if (value !== 1) return;
          id = coordinator.triggerCheckpoint();
          expect(coordinator.getCheckpoint(id)).toMatchObject({ checkpointId: id, completed: false });
          expect(() => coordinator.restoreFromCheckpoint(id)).toThrow(coded('RS_UNKNOWN_CHECKPOINT'));
        })
        .addSink((line) => void out.push(line));
    });
    expect(out).toEqual(['sum=1', 'restored=1', 'sum=3', 'sum=6']);
    expect(coordinator.getCheckpoint(id)).toMatchObject({ checkpointId: 1, completed: true });
  });

  test('a checkpoint holds the state behind the record, whatever operators are left to come', async () => {
    const { run, coordinator } = checkpointed(mode);
    const seen: number[] = [];
    await run((env) => {
      env
        .fromElements(1, 2, 3)
        .map((value) => {
          if (value === 2) coordinator.triggerCheckpoint();
          return value;
        })
        .keyBy(() => 'k')
        .sum((value) => value)
        .addSink((sum) => void seen.push(sum));
    });
    coordinator.restoreFromCheckpoint(1);
    await run((env) => {
      env
        .fromElements(1, 2, 3)
        .map((value) => value)
        .keyBy(() => 'k')
        .sum((value) => value)
        .addSink((sum) => void seen.push(sum));
    });
    expect(seen).toEqual([1, 3, 6, 6]);
  });

  test('going back gives operators their windows, timers and sums back, and forgets those that came later', async () => {
    const { run, coordinator } = checkpointed(mode);
    const out: string[] = [];
    let id = 0;
    await run((env) => {
      const words = env.fromElements('a', 'b', 'check', 'a', 'c', 'back', 'a').map((word) => {
        if (word === 'check') id = coordinator.triggerCheckpoint();
        if (word === 'back') void coordinator.restoreFromCheckpoint(id);
        return word;
      });
      const keyed = words.keyBy((word) => word);
      keyed
        .map(() => 1)
        .sum()
        .addSink((sum) => void out.push(`sum ${sum}`));
      keyed
        .window(TumblingWindow.of(100))
        .apply<string>((key, _window, elements, out) => out.collect(`window ${key} ${elements.length}`))
        .addSink((line) => void out.push(line));
      keyed
        .process<string>({
          processElement: (_key, _word, ctx) => ctx.registerEventTimeTimer(50),
          onEventTime: (_time, key, _ctx, out) => out.collect(`timer ${key}`),
        })
        .addSink((line) => void out.push(line));
    });
    expect(out.filter((line) => line.startsWith('sum'))).toEqual([
      'sum 1',
      'sum 1',
      'sum 1',
      'sum 2',
      'sum 1',
      'sum 1',
      'sum 2',
    ]);
    expect(out.filter((line) => !line.startsWith('sum'))).toEqual([
      'window a 2',
      'window b 1',
      'window back 1',
      'window check 1',
      'timer a',
      'timer b',
      'timer back',
      'timer check',
    ]);
  });
});
