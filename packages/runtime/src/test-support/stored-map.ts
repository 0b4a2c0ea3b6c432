import { type LargeMapState, largeMapState, RsError } from '@rs/core';
import { stateHandle } from '../state/handles.ts';
import { accessTo, Overlay } from './overlay.ts';

export const LARGE_MAP = largeMapState<unknown, unknown>('map');

/** One key's map over a backend, from the view of one record after another. */
export class StoredMap {
  overlay = new Overlay();
  slot = this.overlay.open(LARGE_MAP);
  /** Addresses that were read, and pages, by the namespace that they begin after. */
  readonly reads: string[] = [];
  #settled = { yet: false };
  readonly descriptor;

  constructor(descriptor = LARGE_MAP) {
    this.descriptor = descriptor;
    this.crash();
    const { backend } = this.overlay;
    const [read, scan] = [backend.read.bind(backend), backend.scan.bind(backend)];
    backend.read = (addresses) => {
      this.reads.push(...addresses.map(({ namespace }) => namespace));
      return read(addresses);
    };
    backend.scan = (address, after, limit) => {
      this.reads.push(`after ${after ?? 'nothing'}`);
      return scan(address, after, limit);
    };
  }

  /** For one record; {@link settle} ends it. */
  get handle(): LargeMapState<unknown, unknown> {
    const settled = this.#settled;
    const key = () => {
      if (settled.yet) throw new RsError('RS_CONTEXT_CLOSED', 'the record was settled');
      return 'k';
    };
    return stateHandle(this.descriptor, accessTo(this.slot, key));
  }

  settle(): void {
    this.#settled.yet = true;
    this.#settled = { yet: false };
  }

  /** Stores what `fill` puts, and forgets it. */
  async with(fill: (map: LargeMapState<unknown, unknown>) => void): Promise<this> {
    fill(this.handle);
    await this.overlay.commit();
    this.overlay.store.evict(0);
    this.reads.length = 0;
    return this;
  }

  crash(): void {
    this.settle();
    this.overlay = new Overlay(this.overlay);
    this.slot = this.overlay.open(this.descriptor);
  }

  get cells(): number {
    return [...this.slot.cells()].length;
  }
}

/** Puts each letter, with its capital as its value. */
export const letters = (text: string) => (map: LargeMapState<unknown, unknown>) => {
  for (const letter of text) map.put(letter, letter.toUpperCase());
};
