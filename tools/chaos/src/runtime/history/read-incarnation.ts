import type { Incarnation } from '../../processes/incarnation.ts';
import type { Lag } from '../../time/lag.ts';
import type { Place } from '../load/fates.ts';
import type { Entry } from './entry.ts';
import type {
  Commit,
  Confirmation,
  Delivery,
  JobFailure,
  Readiness,
  Stopping,
  Tenure,
  Told,
} from './history.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What the journals of some processes tell. */
export function readIncarnations(
  journals: readonly { readonly process: Incarnation; readonly entries: readonly Entry[] }[],
): Told {
  const reading = new Reading();
  for (const { process, entries } of journals) reading.read(process, entries);
  return reading.told();
}

class Reading {
  #sent = 0;
  #refused = 0;
  readonly #confirmed: Confirmation[] = [];
  readonly #tenures: Writable<Tenure>[] = [];
  readonly #commits: Commit[] = [];
  readonly #deliveries: Delivery[] = [];
  readonly #threw: Record<Place, number> = { map: 0, count: 0, session: 0, timer: 0, window: 0, sink: 0 };
  readonly #ready: Readiness[] = [];
  readonly #stops: Writable<Stopping>[] = [];
  readonly #failures: JobFailure[] = [];
  readonly #lags: Lag[] = [];

  read(process: Incarnation, entries: readonly Entry[]): void {
    const { incarnation } = process;
    const held = new Map<number, Writable<Tenure>>();
    for (const entry of entries) {
      const { at } = entry;
      switch (entry.type) {
        case 'hello':
          break;
        case 'lag':
          this.#lags.push({ incarnation, at, millis: entry.millis });
          break;
        case 'sent':
          this.#sent++;
          break;
        case 'refused':
          this.#refused++;
          break;
        case 'confirmed': {
          const { n, partition, id } = entry;
          this.#confirmed.push({ at, n, partition, id });
          break;
        }
        case 'ready':
          this.#ready.push({ incarnation, at });
          break;
        case 'acquired': {
          const { partition, token, epoch, seq, offset } = entry;
          // A lost reply is asked for again with the same token.
          if (held.get(partition)?.token === token) break;
          const tenure = { incarnation, partition, token, epoch, seq, offset, from: at, until: undefined };
          held.set(partition, tenure);
          this.#tenures.push(tenure);
          break;
        }
        case 'released': {
          const tenure = held.get(entry.partition);
          if (tenure?.token === entry.token) tenure.until ??= at;
          break;
        }
        case 'commit': {
          const { partition, token, seq, offset, reply } = entry;
          this.#commits.push({ incarnation, at, partition, token, seq, offset, reply });
          break;
        }
        case 'delivered': {
          const { key, n, count } = entry;
          this.#deliveries.push({ incarnation, at, key, n, count });
          break;
        }
        case 'threw':
          this.#threw[entry.place]++;
          break;
        case 'stopping':
          this.#stops.push({ incarnation, at, budget: entry.budget, took: undefined });
          break;
        case 'stopped': {
          const stop = this.#stops.at(-1);
          if (stop !== undefined) stop.took = entry.took;
          break;
        }
        case 'failed':
          this.#failures.push({ incarnation, at, why: entry.why });
      }
    }
    const ended = process.killedAt ?? process.endedAt;
    for (const tenure of held.values()) tenure.until ??= ended;
  }

  told(): Told {
    return {
      ...{ sent: this.#sent, refused: this.#refused, threw: this.#threw },
      confirmed: inOrder(this.#confirmed),
      tenures: [...this.#tenures].sort((a, b) => a.from - b.from),
      commits: inOrder(this.#commits),
      deliveries: inOrder(this.#deliveries),
      ready: inOrder(this.#ready),
      stops: inOrder(this.#stops),
      failures: inOrder(this.#failures),
      lags: inOrder(this.#lags),
    };
  }
}

function inOrder<T extends { readonly at: number }>(events: readonly T[]): T[] {
  return [...events].sort((a, b) => a.at - b.at);
}
