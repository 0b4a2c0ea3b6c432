import type { Window } from '@rs/core';
import { mergeSession, type Touching } from '@rs/window';
import { ItemFormat, valueFormat } from '../../state/format.ts';
import type { StateSlot } from '../../state/slot.ts';
import type { StateStore } from '../../state/store.ts';
import type { Want } from '../keyed-group.ts';

/** An open session of a key. Its contents stay where its first element put them, however it grows. */
export interface Session extends Window {
  readonly namespace: number;
}

/** Where a new element belongs. */
export interface SessionPlace {
  readonly session: Session;
  /** The sessions that it replaces, in the order of their starts; `[]` for a new one. */
  readonly absorbed: readonly Session[];
  /** Where it belongs among the key's sessions. */
  readonly position: number;
  /** False when it lies within one existing session. */
  readonly changed: boolean;
}

/** The open sessions of each key: disjoint, sorted by start. */
export class SessionIndex {
  readonly #slot: StateSlot<readonly Session[]>;
  readonly #touching: Touching;

  constructor(store: StateStore, operatorId: string, touching: Touching) {
    const item = new ItemFormat<readonly Session[]>({
      name: 'sessions',
      schemaVersion: 1,
      codec: undefined,
      migrate: undefined,
    });
    this.#slot = store.slot({ operator: operatorId, state: 'sessions', format: valueFormat(item) });
    this.#touching = touching;
  }

  /** Pure: says where an element with this seed window would go. */
  place(key: unknown, seed: Window): SessionPlace {
    const { window, absorbed, position } = mergeSession(this.#sessions(key), seed, this.#touching);
    const [first] = absorbed;
    if (first === undefined) {
      return {
        session: { start: seed.start, end: seed.end, namespace: seed.start },
        absorbed,
        position,
        changed: true,
      };
    }
    const changed = absorbed.length > 1 || window.start !== first.start || window.end !== first.end;
    const session = changed ? { start: window.start, end: window.end, namespace: first.namespace } : first;
    return { session, absorbed, position, changed };
  }

  /** Makes the place true. */
  put(key: unknown, { session, absorbed, position, changed }: SessionPlace): void {
    if (changed) this.#update(key, this.#sessions(key).toSpliced(position, absorbed.length, session));
  }

  remove(key: unknown, namespace: number): void {
    this.#update(
      key,
      this.#sessions(key).filter((session) => session.namespace !== namespace),
    );
  }

  /** Names the index of a key and, once it is loaded, lets the caller name what belongs to its sessions. */
  want(key: unknown, want: Want, each: (namespace: number) => void): void {
    want(this.#slot, key, '');
    for (const session of this.#slot.find(key, '')?.value ?? []) each(session.namespace);
  }

  #sessions(key: unknown): readonly Session[] {
    return this.#slot.present(key, '')?.value ?? [];
  }

  #update(key: unknown, sessions: readonly Session[]): void {
    const cell = this.#slot.obtain(key, '');
    if (sessions.length === 0) return this.#slot.remove(cell);
    this.#slot.touch(cell);
    cell.value = sessions;
  }
}
