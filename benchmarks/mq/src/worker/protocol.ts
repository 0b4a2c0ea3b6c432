import type { Tasks } from './tasks.ts';

export type TaskName = keyof Tasks;

/** A call of one of {@link Tasks}. */
export interface Request {
  readonly number: number;
  readonly task: TaskName;
  readonly input: unknown;
}

export interface Response {
  readonly number: number;
  readonly output?: unknown;
  /** Stack of what was thrown. */
  readonly failure?: string;
}
