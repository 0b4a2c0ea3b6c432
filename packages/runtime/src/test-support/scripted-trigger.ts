import type { Trigger, TriggerContext, Window } from '@rs/core';
import type { Item } from './window-run.ts';

/** Runs what a test puts in and answers CONTINUE; notes the timers that came. */
export function scripted(parts: Partial<Trigger<Item>> = {}) {
  const asked: string[] = [];
  const trigger: Trigger<Item> = {
    onElement: () => 'CONTINUE',
    onEventTime: (time, window) => {
      asked.push(`e${time} ${window.start}`);
      return 'CONTINUE';
    },
    onProcessingTime: (time, window) => {
      asked.push(`p${time} ${window.start}`);
      return 'CONTINUE';
    },
    ...parts,
  };
  return { asked, trigger };
}

export const onElement = (
  step: (ctx: TriggerContext, item: Item, window: Window) => void,
): Partial<Trigger<Item>> => ({
  onElement: (item, _timestamp, window, ctx) => {
    step(ctx, item, window);
    return 'CONTINUE';
  },
});
