import type { TaskPlace } from '../keys/task-place.ts';

/** What decides on the slot of a task's keys: tasks with the same one can share a script call on a cluster. */
export function slotTag({ prefix, topic, partition, topicShards }: TaskPlace): string {
  return `${prefix}:{${topic}#${partition % topicShards}}`;
}
