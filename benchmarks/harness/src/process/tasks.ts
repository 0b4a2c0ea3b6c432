/** What a child process can be told to do: the methods of `T` that take one input and return a promise. */
export type TaskName<T> = {
  [N in keyof T]: T[N] extends (input: never) => Promise<unknown> ? N : never;
}[keyof T] &
  string;

export type TaskInput<T, N extends keyof T> = T[N] extends (input: infer I) => unknown ? I : never;

export type TaskOutput<T, N extends keyof T> = T[N] extends (input: never) => Promise<infer O> ? O : never;
