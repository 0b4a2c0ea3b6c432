import type { BatchedDriver } from '../driver/batched/batched-driver.ts';
import { taskInputs, type TaskInput } from '../driver/batched/task-inputs.ts';
import type { Stage, Topology } from '../graph/topology.ts';
import type { KeptState } from '../operator/keyed-group.ts';
import { compareText, decodeKey } from '../state/key-encoding.ts';
import { CommitLogBackend, type OwnedTimer } from './commit-log-backend.ts';
import { ItemLog, type LoggedItem } from './item-log.ts';

/** One partition of one stage, with the state it has committed. */
export interface SimulatedTask {
  readonly stage: Stage;
  readonly partition: number;
  readonly backend: CommitLogBackend;
}

/** A declared state on one of the partitions that keep it. */
export interface SimulatedState extends KeptState {
  readonly task: SimulatedTask;
}

/** A timer that has not fired yet. */
export interface PendingTimer {
  /** Id of the operator. */
  readonly operator: string;
  /** Which time it waits for. */
  readonly kind: 'event' | 'processing';
  readonly key: unknown;
  readonly time: number;
}

export interface RunningTask extends SimulatedTask {
  readonly inputs: readonly TaskInput[];
  /** Everything that was ever sent to the task, in order. */
  readonly log: ItemLog;
  /** Numbers of the inputs whose end is in the log. */
  readonly ended: Set<number>;
  /** Numbers of the inputs that are known to have something to read. */
  readonly announced: Set<number>;
  /** How far event time was advanced at its sources, by number of the input. */
  readonly advanced: Map<number, number>;
  driver: BatchedDriver | undefined;
  /** Known once the task was opened for the first time. */
  states: readonly KeptState[];
}

export function newTask(topology: Topology, stage: Stage, partition: number): RunningTask {
  return {
    stage,
    partition,
    backend: new CommitLogBackend(),
    inputs: taskInputs(topology, stage, partition),
    log: new ItemLog(),
    ended: new Set(),
    announced: new Set(),
    advanced: new Map(),
    driver: undefined,
    states: [],
  };
}

/** Appends an item of one of a task's inputs to its log. */
export function push(task: RunningTask, input: number, logged: LoggedItem): void {
  if (logged.type === 'end') task.ended.add(input);
  task.log.push(logged);
}

/** A batch of a task whose inputs have all ended will not get any fuller. */
export function hasBatch({ log, inputs, ended }: RunningTask, position: number, atLeast: number): boolean {
  const waiting = log.length - position;
  return waiting >= atLeast || (waiting > 0 && ended.size === inputs.length);
}

/** The committed timers, in the order in which they will fire: by time, then by key. */
export function pendingTimers(tasks: readonly SimulatedTask[]): PendingTimer[] {
  return tasks
    .flatMap(({ backend }) => backend.storedTimers())
    .sort((a, b) => a.time - b.time || compareText(orderText(a), orderText(b)))
    .map(({ operator, kind, key, time }) => ({ operator, kind, key: decodeKey(key), time }));
}

/** The times of the committed event timers, in no order. */
export function eventTimes(tasks: readonly SimulatedTask[]): readonly number[] {
  return tasks.flatMap(({ backend }) =>
    backend.storedTimers().flatMap(({ kind, time }) => (kind === 'event' ? [time] : [])),
  );
}

/** Records that were late, by operator. */
export function lateRecords(tasks: readonly SimulatedTask[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [operator, count] of tasks.flatMap(({ backend }) => Object.entries(backend.late())))
    total[operator] = (total[operator] ?? 0) + count;
  return total;
}

/** Of timers with one time: those on processing time fire first, then they go by key and window. */
function orderText({ kind, key, namespace }: OwnedTimer): string {
  return [kind === 'processing' ? 0 : 1, key, namespace].join('\u0000');
}
