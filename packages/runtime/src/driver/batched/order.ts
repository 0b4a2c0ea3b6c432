import type { ItemPlaces } from '../../operator/task.ts';

/**
 * Place of an item in the order in which a chain without barriers would have made it: it is the `index`-th of what came of
 * `parent`.
 */
export class Place {
  readonly parent: Place | undefined;
  readonly index: number;
  readonly depth: number;
  /** What the item is on account of, where that is not the input itself; what comes of it is so too. */
  cause: unknown;
  emitted = 0;
  /** What is left to do for it, while that is put off. */
  rest: Rest | undefined = undefined;

  constructor(parent: Place | undefined, index: number, cause: unknown) {
    this.parent = parent;
    this.index = index;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.cause = cause;
  }

  /** The place of the next thing that comes of the item. */
  next(): Place {
    return new Place(this, this.emitted++, this.cause);
  }
}

/** Goes on in the item's own place, unless the item emits something else meanwhile, which then comes after it. */
class Rest {
  place: Place;

  constructor(place: Place) {
    this.place = place;
  }
}

/** Index of what comes of no item. */
const NONE = -1;

/** Index of what a batch goes on with that an earlier commit has left undone: it comes before all items. */
export const LEFT_OVER = -2;

/**
 * Numbers what is emitted while an item is processed. An item emitted as the third of item 4 has the place 2 below that of 4,
 * and what it leads to later stands below that; so comparing these from the top, like words, gives the depth-first order of a
 * chain, no matter at which barriers or for which promises the items had to wait.
 */
export class OrderCounter implements ItemPlaces {
  #current = new Place(undefined, 0, undefined);

  /** Goes on with the `index`-th thing that a batch begins with. */
  begin(index: number): void {
    this.#current = new Place(undefined, index, undefined);
  }

  reserve(): Place {
    const place = this.#current;
    if (place.rest !== undefined) numberRest(place);
    return place.next();
  }

  suspend(): Rest {
    const place = this.#current;
    if (place.rest !== undefined) numberRest(place);
    place.rest = new Rest(place);
    return place.rest;
  }

  enter(to: Place | Rest): void {
    if (to instanceof Place) {
      this.#current = to;
      return;
    }
    const { place } = to;
    this.#current = place;
    if (place.rest === to) place.rest = undefined;
  }

  get cause(): unknown {
    return this.#current.cause;
  }

  set cause(cause: unknown) {
    this.#current.cause = cause;
  }

  /** What comes now is about no item in particular. */
  leave(): void {
    this.#current = new Place(undefined, NONE, undefined);
  }

  /** Which of the things that the batch began with the current item comes of; `undefined` when it is about none of them. */
  get origin(): number | undefined {
    const index = rootIndex(this.#current);
    return index < 0 ? undefined : index;
  }
}

/** What was put off earlier comes first: it gets the next number, and goes on below that. */
function numberRest(place: Place): void {
  const { rest } = place;
  place.rest = undefined;
  if (rest !== undefined) rest.place = place.next();
}

export function comparePlaces(a: Place, b: Place): number {
  let [x, y] = [a, b];
  while (x.depth > y.depth) x = x.parent as Place;
  while (y.depth > x.depth) y = y.parent as Place;
  if (x === y) return a.depth - b.depth;
  while (x.parent !== y.parent) {
    x = x.parent as Place;
    y = y.parent as Place;
  }
  return x.index - y.index;
}

/** True for the place itself, and for those of everything that comes of what stands there. */
export function comesOf(place: Place, ancestor: Place): boolean {
  let above = place;
  while (above.depth > ancestor.depth) above = above.parent as Place;
  return above === ancestor;
}

/** Which of the things that a batch began with something comes of. */
export function rootIndex(place: Place): number {
  let above = place;
  while (above.parent !== undefined) above = above.parent;
  return above.index;
}

/** Puts what was made in almost any order into that of its places; mostly it stands so already. */
export function sortByPlace<T extends { readonly place: Place }>(placed: T[]): T[] {
  for (let i = 1; i < placed.length; i++) {
    if (comparePlaces((placed[i - 1] as T).place, (placed[i] as T).place) > 0)
      return placed.sort((a, b) => comparePlaces(a.place, b.place));
  }
  return placed;
}

/** Things with their places, which are given in the order of these. */
export class PlacedList<T> {
  // Side by side, since most lists need no sorting: one object less for each of them.
  readonly #places: Place[] = [];
  readonly #things: T[] = [];

  push(place: Place, thing: T): void {
    this.#places.push(place);
    this.#things.push(thing);
  }

  inOrder(): readonly T[] {
    for (let i = 1; i < this.#places.length; i++) {
      if (comparePlaces(this.#places[i - 1] as Place, this.#places[i] as Place) > 0) return this.#sorted();
    }
    return this.#things;
  }

  filter(keep: (thing: T, place: Place) => boolean): PlacedList<T> {
    const kept = new PlacedList<T>();
    for (const [index, thing] of this.#things.entries()) {
      const place = this.#places[index] as Place;
      if (keep(thing, place)) kept.push(place, thing);
    }
    return kept;
  }

  places(): readonly Place[] {
    return this.#places;
  }

  #sorted(): readonly T[] {
    const placed = this.#things.map((thing, index) => ({ thing, place: this.#places[index] as Place }));
    return sortByPlace(placed).map(({ thing }) => thing);
  }
}
