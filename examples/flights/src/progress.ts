import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';

export interface Progress {
  update(flights: number): void;
  /** Something besides: beside the bar on a terminal, a line elsewhere. */
  note(text: string): void;
  stop(): void;
}

/** A bar on a terminal; only notes where the output is a file or a pipe. */
export function progressBar(stream: Writable & { readonly isTTY?: boolean }, total: number): Progress {
  if (stream.isTTY !== true) {
    return {
      update: () => undefined,
      note: (text) => void stream.write(`${text}\n`),
      stop: () => undefined,
    };
  }
  const bar = new SingleBar({
    stream,
    format: 'flights {bar} {percentage}% {value}/{total}  {note}',
    barCompleteChar: '\u2588',
    barIncompleteChar: '\u2591',
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0, { note: '' });
  return {
    update: (flights) => bar.update(flights),
    note: (note) => bar.update({ note }),
    stop: () => bar.stop(),
  };
}
