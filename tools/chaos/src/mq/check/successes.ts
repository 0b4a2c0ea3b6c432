import { type Handling, type History, placeOf } from '../history/history.ts';

/** A handling that went to its end. */
export type Ended = Handling & { readonly end: number };

export function isSuccess(handling: Handling): handling is Ended {
  return handling.result === 'done' && handling.end !== undefined;
}

/** The successful handlings of each message, in the order of their ends. */
export function successesOf(history: History): Map<string, Ended[]> {
  return endedAs(history, isSuccess);
}

/** The handlings of each message that decided it is dead, in the order of their ends. */
export function deathsOf(history: History): Map<string, Ended[]> {
  return endedAs(history, (handling) => handling.result === 'dead' && handling.end !== undefined);
}

function endedAs(history: History, is: (handling: Handling) => boolean): Map<string, Ended[]> {
  const found = new Map<string, Ended[]>();
  for (const handling of history.handlings) {
    if (!is(handling)) continue;
    const place = placeOf(handling);
    const list = found.get(place);
    if (list === undefined) found.set(place, [handling as Ended]);
    else list.push(handling as Ended);
  }
  for (const list of found.values()) list.sort((a, b) => a.end - b.end);
  return found;
}
