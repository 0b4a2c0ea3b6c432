import type { HandlerContext } from '../consumer/handler.ts';
import type { FakeTimers } from './fake-timers.ts';

/** What a handler does with a message. `hang` goes on until its signal is aborted, `stuck` for ever. */
export type Behaviour = 'ok' | 'throw' | 'retry' | 'dead letter' | 'hang' | 'stuck';

/** The value of a message in a simulation. */
export interface Work {
  readonly n: number;
  /** Call by call; the last one is repeated. */
  readonly behaviours: readonly Behaviour[];
  /** Milliseconds that each call takes; 0: it returns at once. */
  readonly takes: number;
}

export interface PerformOptions {
  readonly process: FakeTimers;
  readonly context: HandlerContext;
  readonly manual: boolean;
  /** Called when the handler has done its work, whatever came of it. */
  readonly onEnd: () => void;
  /** Called with a success. */
  readonly onSuccess: () => void;
}

export type WorkResult = undefined | 'RETRY' | 'DEAD_LETTER';

/** Is the handler of a message that wants it to behave like this. */
export function perform(
  behaviour: Behaviour,
  takes: number,
  { process, context, manual, onEnd, onSuccess }: PerformOptions,
): Promise<WorkResult> | undefined {
  const succeed = (): undefined => {
    onEnd();
    onSuccess();
  };
  if (behaviour === 'ok' && !manual && takes === 0) return succeed();
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void => {
      onEnd();
      reject(error);
    };
    if (behaviour === 'hang') {
      context.signal.addEventListener('abort', () => {
        failed(context.signal.reason);
      });
    } else if (behaviour === 'throw') {
      process.after(takes, () => {
        failed(new Error('no luck'));
      });
    } else if (behaviour !== 'stuck') {
      // It returns first, and says later how it ended.
      if (manual) resolve(undefined);
      process.after(takes, () => {
        if (behaviour === 'ok') {
          resolve(succeed());
          if (manual) context.ack();
          return;
        }
        onEnd();
        const result = behaviour === 'retry' ? 'RETRY' : 'DEAD_LETTER';
        if (manual) context.settle(result);
        else resolve(result);
      });
    }
  });
}
