import { valueOf } from '../sink/function-task-sink.ts';
import type { OutEntry } from './out-entry.ts';
import type { OutTarget } from './out-target.ts';
import type { SharedSink } from './shared-sink.ts';

/**
 * Gives results to a sink of the user, one after the other. After a crash, what was given and is not written down yet is given again:
 * at least once, in order, and never a later result before an earlier one.
 */
export class FunctionTarget implements OutTarget {
  readonly #sink: Pick<SharedSink, 'invoke'>;

  constructor(sink: Pick<SharedSink, 'invoke'>) {
    this.#sink = sink;
  }

  async deliver(
    entries: readonly OutEntry[],
    done: (count: number) => void,
    stopped: () => boolean,
  ): Promise<void> {
    for (const { fields } of entries) {
      if (stopped()) return;
      await this.#sink.invoke(valueOf(fields), stopped);
      done(1);
    }
  }
}
