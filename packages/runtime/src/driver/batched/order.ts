import type { ItemPlaces } from '../../operator/task.ts';

/** Place of an item in the order in which a chain without barriers would have made it. */
export type ItemOrder = readonly number[];

/** An item that is being processed. */
interface Position {
  readonly order: ItemOrder;
  emitted: number;
  /** What is left to do for it, while that is put off. */
  rest: Rest | undefined;
}

/** Goes on in the item's own position, unless the item emits something else meanwhile, which then comes after it. */
interface Rest {
  position: Position;
}

/**
 * Numbers what is emitted while an item is processed. An item emitted as the third of item `[4]` is `[4, 2]`, and what it
 * leads to later is `[4, 2, …]`; so comparing these like words gives the depth-first order of a chain, no matter at which
 * barriers or for which promises the items had to wait.
 */
export class OrderCounter implements ItemPlaces {
  #current = newPosition([]);

  reserve(): ItemOrder {
    const position = this.#current;
    numberRest(position);
    return [...position.order, position.emitted++];
  }

  suspend(): Rest {
    const position = this.#current;
    numberRest(position);
    position.rest = { position };
    return position.rest;
  }

  enter(place: ItemOrder | Rest): void {
    if ('position' in place) {
      this.#current = place.position;
      if (place.position.rest === place) place.position.rest = undefined;
    } else {
      this.#current = newPosition(place);
    }
  }
}

/** What was put off earlier comes first: it gets the next number, and goes on below that. */
function numberRest(position: Position): void {
  if (position.rest === undefined) return;
  position.rest.position = newPosition([...position.order, position.emitted++]);
  position.rest = undefined;
}

export function compareOrder(a: ItemOrder, b: ItemOrder): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function newPosition(order: ItemOrder): Position {
  return { order, emitted: 0, rest: undefined };
}
