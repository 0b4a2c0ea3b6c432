import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';

export interface Progress {
  /** What happens from now on. */
  phase(text: string): void;
  update(orders: number): void;
  stop(): void;
}

/** A bar on a terminal; where the output is a file or a pipe, one line per phase. */
export function showProgress(stream: Writable & { readonly isTTY?: boolean }, total: number): Progress {
  if (stream.isTTY !== true) {
    return {
      phase: (text) => void stream.write(`${text}\n`),
      update: () => undefined,
      stop: () => undefined,
    };
  }
  const bar = new SingleBar({
    stream,
    format: 'orders {bar} {percentage}% {value}/{total}  {phase}',
    barCompleteChar: '\u2588',
    barIncompleteChar: '\u2591',
    barsize: 25,
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0, { phase: '' });
  return {
    phase: (text) => bar.update({ phase: text }),
    update: (orders) => bar.update(orders),
    stop: () => bar.stop(),
  };
}
