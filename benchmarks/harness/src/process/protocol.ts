/** A call of one of the tasks of a child process. */
export interface Request {
  readonly number: number;
  readonly task: string;
  readonly input: unknown;
}

export interface Response {
  readonly number: number;
  readonly output?: unknown;
  /** Stack of what was thrown. */
  readonly failure?: string;
}
