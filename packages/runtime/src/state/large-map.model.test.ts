import { describe, expect, test } from '@jest/globals';
import { isRsError, type LargeMapState, largeMapState, RsError } from '@rs/core';
import fc from 'fast-check';
import { collected } from '../test-support/collected.ts';
import { accessTo, Overlay } from '../test-support/overlay.ts';
import { ResidentState } from '../test-support/resident.ts';
import { compareText, encodeKey } from './key-encoding.ts';
import { stateHandle } from './handles.ts';
import type { AnySlot } from './access.ts';

const OWNERS = ['a', 'a\u001fs:x'];
/** Among them texts whose order by code points is not that of their code units, and parts of other addresses. */
const NAMES = ['a', 'x\u001fs:a', '\uffff', '\u{10000}', 2, 10];

type Name = (typeof NAMES)[number];

interface Entry {
  readonly value: number;
  readonly expiresAt: number;
}

/** The maps of all owners, by canonical text of the element's key. */
type Model = Map<string, Map<string, Entry>>;

interface Step {
  readonly op: string;
  readonly owner: string;
  readonly name: Name;
  readonly n: number;
}

const CHANGES = ['put', 'put', 'remove', 'fill', 'refill', 'remove', 'clear'];
const READS = ['get', 'get later', 'contains', 'isEmpty', 'entries', 'keys', 'loop'];
const DURABLE = ['commit', 'hand over', 'hand over', 'arrive', 'rollback', 'evict', 'crash'];

const stepsOf = (...ops: readonly string[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      op: fc.constantFrom(...ops),
      owner: fc.constantFrom(...OWNERS),
      name: fc.constantFrom(...NAMES),
      n: fc.nat(9),
    }),
    { minLength: 15, maxLength: 80 },
  );

const copy = (model: Model): Model => new Map([...model].map(([owner, map]) => [owner, new Map(map)]));

/** Plain maps beside the maps that are tested. */
class Twin {
  readonly handle: (owner: string) => LargeMapState<Name, number>;
  readonly now: () => number;
  readonly ttl: number;
  model: Model = new Map(OWNERS.map((owner) => [owner, new Map<string, Entry>()]));
  pending: (() => Promise<void>)[] = [];

  constructor(handle: (owner: string) => LargeMapState<Name, number>, now: () => number, ttl: number) {
    this.handle = handle;
    this.now = now;
    this.ttl = ttl;
  }

  async apply({ op, owner, name, n }: Step): Promise<void> {
    const state = this.handle(owner);
    switch (op) {
      case 'get':
        return expect(await state.get(name)).toBe(this.#read(owner).get(encodeKey(name)));
      case 'get later': {
        const expected = this.#read(owner).get(encodeKey(name));
        const reading = state.get(name);
        this.pending.push(async () => expect(await reading).toBe(expected));
        return;
      }
      case 'contains':
        return expect(await state.contains(name)).toBe(this.#read(owner).has(encodeKey(name)));
      case 'isEmpty':
        return expect(await state.isEmpty()).toBe(this.#read(owner).size === 0);
      case 'entries': {
        const entries = await collected(state.entries());
        return expect(entries.map(([key, value]) => [encodeKey(key), value])).toEqual([...this.#read(owner)]);
      }
      case 'keys': {
        const keys = await collected(state.keys());
        return expect(keys.map(encodeKey)).toEqual([...this.#read(owner).keys()]);
      }
      case 'loop':
        return this.#loop(state, owner, name, n);
      default:
        this.#change(state, { op, owner, name, n });
    }
  }

  /** Awaits the reads that were begun. */
  async settle(): Promise<void> {
    const { pending } = this;
    this.pending = [];
    for (const check of pending) await check();
  }

  /** A loop that changes the map as it goes. */
  async #loop(state: LargeMapState<Name, number>, owner: string, name: Name, n: number): Promise<void> {
    const begun = [...this.#read(owner).keys()];
    const expected: unknown[] = [];
    const given: unknown[] = [];
    const offset = NAMES.indexOf(name);
    let next = 0;
    for await (const [key, value] of state.entries()) {
      given.push([encodeKey(key), value]);
      const present = this.#read(owner);
      while (next < begun.length && !present.has(begun[next] as string)) next++;
      expected.push([begun[next], present.get(begun[next++] as string)]);
      const op = CHANGES[(n + given.length) % CHANGES.length] as string;
      const other = NAMES[(offset + given.length * (n + 1)) % NAMES.length] as Name;
      this.#change(state, { op, owner, name: other, n: n + 10 });
    }
    const left = begun.slice(next).filter((id) => this.#read(owner).has(id));
    expect([given, left]).toEqual([expected, []]);
  }

  #change(state: LargeMapState<Name, number>, { op, owner, name, n }: Step): void {
    const map = this.model.get(owner);
    if (op === 'put') {
      state.put(name, n);
      map?.set(encodeKey(name), { value: n, expiresAt: this.now() + this.ttl });
    } else if (op === 'refill') {
      this.#change(state, { op: 'clear', owner, name, n });
      for (const one of NAMES.slice(n % 3)) this.#change(state, { op: 'put', owner, name: one, n });
    } else if (op === 'fill') {
      for (const one of NAMES) this.#change(state, { op: 'put', owner, name: one, n });
    } else if (op === 'remove') {
      state.remove(name);
      map?.delete(encodeKey(name));
    } else if (op === 'clear') {
      state.clear();
      map?.clear();
    }
  }

  /** What the owner's map must hold, in order. */
  #read(owner: string): Map<string, number> {
    const live = [...(this.model.get(owner) ?? [])].filter(([, { expiresAt }]) => expiresAt > this.now());
    return new Map(live.map(([id, { value }]) => [id, value] as const).sort(([a], [b]) => compareText(a, b)));
  }
}

const descriptorWith = (ttl: number) => largeMapState<Name, number>('map', ttl === Infinity ? {} : { ttl });
const ttls = fc.constantFrom(Infinity, 6);

describe('a large map', () => {
  test('in memory equals a plain map in the order of the encoded keys', async () => {
    await fc.assert(
      fc.asyncProperty(stepsOf(...CHANGES, ...CHANGES, ...READS, 'wait'), ttls, async (steps, ttl) => {
        const resident = new ResidentState(descriptorWith(ttl));
        const handle = (owner: string) => {
          resident.key = owner;
          return resident.handle;
        };
        const twin = new Twin(handle, () => resident.clock.now(), ttl);
        for (const step of steps) {
          if (step.op === 'wait') resident.clock.time += step.n;
          else await twin.apply(step);
          // The handle in tests finds its key through a field.
          await twin.settle();
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test('over a backend equals it too, through commits, rollbacks, evictions and crashes', async () => {
    const all = stepsOf(...CHANGES, ...CHANGES, ...READS, ...DURABLE, 'wait');
    await fc.assert(
      fc.asyncProperty(all, ttls, fc.boolean(), async (steps, ttl, cached) => {
        const descriptor = descriptorWith(ttl);
        let overlay = new Overlay();
        let slot = overlay.open(descriptor);
        let record = { settled: false };
        const handle = (owner: string) => stateHandle(descriptor, accessOf(slot, record, owner));
        const twin = new Twin(handle, () => overlay.clock.now(), ttl);
        let handedOver = copy(twin.model);
        /** Where each change is applied twice. */
        const other = new Overlay();
        const handOver = async () => {
          await twin.settle();
          await overlay.handOver();
          handedOver = copy(twin.model);
          if (!cached) overlay.store.evict(0);
        };
        for (const step of steps) {
          switch (step.op) {
            case 'wait':
              // The clock stands still while a record is open.
              await twin.settle();
              overlay.clock.time += step.n;
              break;
            case 'commit':
            case 'hand over':
              await handOver();
              if (step.op === 'commit') await overlay.settle();
              break;
            case 'arrive':
              await overlay.arrive();
              break;
            case 'evict':
              await twin.settle();
              overlay.store.evict(step.n * 200);
              break;
            case 'rollback':
            case 'crash': {
              record.settled = true;
              record = { settled: false };
              if (step.op === 'rollback') {
                await overlay.settle();
                overlay.store.rollback();
              } else {
                await overlay.arrive(); // What reads made arrive must not be lost for the model.
                overlay = new Overlay(overlay);
                slot = overlay.open(descriptor);
              }
              const cells = [...slot.cells()].length;
              for (const late of twin.pending) {
                // It was answered before, or never is.
                const error = await late().catch((reason: unknown) => reason);
                expect(error === undefined || isRsError(error, 'RS_CONTEXT_CLOSED') || error).toBe(true);
              }
              twin.pending = [];
              expect([[...slot.cells()].length, overlay.store.changes()]).toEqual([cells, []]);
              twin.model = copy(handedOver);
              break;
            }
            default:
              await twin.apply(step);
          }
        }
        await handOver();
        await overlay.settle();
        const batch = { offset: 0, timers: [], outputs: [], sent: [], operators: {}, late: {} };
        for (const [index, { cells }] of overlay.backend.commits().entries())
          for (const seq of [2 * index + 1, 2 * index + 2])
            await other.backend.commit({ ...batch, seq, cells });
        expect(overlay.failures).toEqual([]);
        const stored = new Map(overlay.backend.cells());
        expect(new Map(other.backend.cells())).toEqual(stored);
        const left = [...handedOver.values()].flatMap((map) => [...map.values()]);
        const live = left.filter(({ expiresAt }) => expiresAt > overlay.clock.now());
        expect(stored.size).toBeGreaterThanOrEqual(live.length);
        if (ttl === Infinity) expect(stored.size).toBe(live.length);
      }),
      { numRuns: 600, seed: 2 },
    );
  });
});

/** A record's access, which ends with the record. */
function accessOf(slot: AnySlot, record: { readonly settled: boolean }, owner: string) {
  return accessTo(slot, () => {
    if (record.settled) throw new RsError('RS_CONTEXT_CLOSED', 'the record was settled');
    return owner;
  });
}
