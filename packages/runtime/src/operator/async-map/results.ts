import { Fifo } from '../../fifo.ts';

/** Where an item will stand that is still to come. */
export interface Place<I> {
  /** To be called once. */
  fill(item: I): void;
}

/** A row of items of which some are still to come. Every step takes the same time, however long the row is. */
export interface Results<I extends object> {
  /** Keeps the place of an item that is still to come. */
  reserve(): Place<I>;
  /** Adds an item that comes after all before it and before all after it. */
  push(item: I): void;
  /** Takes the next item off; `undefined` when it is still to come, or there is none. */
  take(): I | undefined;
  clear(): void;
}

/** Items leave in the order of their places. */
export class OrderedResults<I extends object> implements Results<I> {
  readonly #places = new Fifo<OrderedPlace<I>>();

  reserve(): Place<I> {
    const place = new OrderedPlace<I>();
    this.#places.push(place);
    return place;
  }

  push(item: I): void {
    this.reserve().fill(item);
  }

  take(): I | undefined {
    const item = this.#places.first()?.item;
    if (item !== undefined) this.#places.shift();
    return item;
  }

  clear(): void {
    this.#places.clear();
  }
}

class OrderedPlace<I extends object> implements Place<I> {
  item: I | undefined = undefined;

  fill(item: I): void {
    this.item = item;
  }
}

/** Items leave as they come, but none changes sides with one that was pushed. */
export class UnorderedResults<I extends object> implements Results<I> {
  readonly #segments = new Fifo<Segment<I>>();
  #last: Segment<I> = this.#append();

  reserve(): Place<I> {
    this.#last.missing++;
    return this.#last;
  }

  push(item: I): void {
    this.#last.end = item;
    this.#last = this.#append();
  }

  take(): I | undefined {
    const first = this.#segments.first();
    const item = first?.ready.shift();
    if (first === undefined || item !== undefined) return item;
    if (first.missing > 0 || first.end === undefined) return undefined;
    this.#segments.shift();
    return first.end;
  }

  clear(): void {
    this.#segments.clear();
    this.#last = this.#append();
  }

  #append(): Segment<I> {
    const segment = new Segment<I>();
    this.#segments.push(segment);
    return segment;
  }
}

/** What stands between two items that were pushed: the place of all of it. */
class Segment<I extends object> implements Place<I> {
  readonly ready = new Fifo<I>();
  missing = 0;
  /** What was pushed behind it. */
  end: I | undefined = undefined;

  fill(item: I): void {
    this.missing--;
    this.ready.push(item);
  }
}
