import type { CountModel, WindowCount } from './counts.ts';

/** Sessions, found by sorting all times of a key that are in no closed one. */
export class SessionsModel implements CountModel {
  readonly #gap: number;
  readonly #times = new Map<string, readonly number[]>();
  readonly #closed: WindowCount[] = [];

  constructor(gap: number) {
    this.#gap = gap;
  }

  take(key: string, time: number, watermark: number): boolean {
    const sessions = this.#sessionsOf(key, this.#times.get(key) ?? []);
    const isClosed = ({ end }: WindowCount) => end - 1 <= watermark;
    this.#closed.push(...sessions.filter(isClosed));
    const open = sessions.filter((session) => !isClosed(session)).flatMap(({ times }) => times);
    const joined = this.#sessionsOf(key, [...open, time]).find(({ times }) => times.includes(time));
    const late = joined === undefined || isClosed(joined);
    this.#times.set(key, late ? open : [...open, time]);
    return late;
  }

  finish(): readonly WindowCount[] {
    return [...this.#closed, ...[...this.#times].flatMap(([key, times]) => this.#sessionsOf(key, times))];
  }

  #sessionsOf(
    key: string,
    times: readonly number[],
  ): (WindowCount & { readonly times: readonly number[] })[] {
    const groups: number[][] = [];
    for (const time of [...times].sort((a, b) => a - b)) {
      const group = groups.at(-1);
      if (group !== undefined && time - (group.at(-1) as number) < this.#gap) group.push(time);
      else groups.push([time]);
    }
    return groups.map((group) => ({
      key,
      start: group[0] as number,
      end: (group.at(-1) as number) + this.#gap,
      count: group.length,
      times: group,
    }));
  }
}
