import { meanDelay } from './delays.ts';
import type { WindowDelays } from './job.ts';
import type { Results } from './results.ts';

const CHUNK = 10_000;

/** One JSON document, in pieces: with many windows it is longer than a string can be. */
export function* jsonReport({ records, late, windows, alerts }: Results): Generator<string> {
  yield `{"records":${records},"late":${late},"windows":[`;
  for (let i = 0; i < windows.length; i += CHUNK) {
    const rows = windows.slice(i, i + CHUNK).map(toRow);
    yield `${i === 0 ? '' : ','}${JSON.stringify(rows).slice(1, -1)}`;
  }
  yield alerts === undefined ? ']}\n' : `],"alerts":${JSON.stringify(alerts)}}\n`;
}

function toRow(delays: WindowDelays): object {
  const { origin, start, end, flights, maxDelay } = delays;
  return { origin, start, end, flights, meanDelay: meanDelay(delays), maxDelay };
}
