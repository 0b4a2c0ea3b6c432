import type { WorkerProcess } from './worker-process.ts';

/** The life of a process. */
export interface Incarnation {
  readonly incarnation: string;
  readonly from: number;
  readonly killedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** What it said when it ended by itself, which nobody had asked of it. */
  readonly failure: string | undefined;
}

export function incarnationOf(process: WorkerProcess): Incarnation {
  const { incarnation, startedAt, killedAt, endedAt, unexpectedEnd } = process;
  const { code, signal, stderr } = unexpectedEnd ?? {};
  return {
    ...{ incarnation, from: startedAt, killedAt, endedAt },
    failure:
      unexpectedEnd === undefined ? undefined : `code ${code ?? signal ?? 'unknown'}\n${stderr ?? ''}`.trim(),
  };
}
