import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparePlaces, OrderCounter, Place, PlacedList } from './order.ts';

/** Items in the order that their places give. */
function sorted(placed: readonly (readonly [Place, string])[]): string[] {
  return placed.toSorted(([a], [b]) => comparePlaces(a, b)).map(([, name]) => name);
}

describe('the places of items', () => {
  test('what an item leads to stands between it and the next', () => {
    const counter = new OrderCounter();
    counter.begin(0);
    const first = counter.reserve();
    const second = counter.reserve();
    counter.enter(first);
    const below = counter.reserve();
    expect(sorted([[second, 'b'], [below, 'a.1']])).toEqual(['a.1', 'b']); // prettier-ignore
    expect(comparePlaces(first, below)).toBeLessThan(0);
    expect(comparePlaces(first, first)).toBe(0);
  });

  test('what is put off comes before what its item emits meanwhile', () => {
    const counter = new OrderCounter();
    counter.begin(0);
    const rest = counter.suspend();
    const other = counter.reserve();
    counter.enter(rest);
    const one = counter.reserve();
    const two = counter.reserve();
    expect(sorted([[other, 'other'], [two, '2'], [one, '1']])).toEqual(['1', '2', 'other']); // prettier-ignore
  });

  test('what is put off twice in a row comes in that order', () => {
    const counter = new OrderCounter();
    counter.begin(0);
    const first = counter.suspend();
    const second = counter.suspend();
    counter.enter(second);
    const late = counter.reserve();
    counter.enter(first);
    const early = counter.reserve();
    expect(sorted([[late, 'late'], [early, 'early']])).toEqual(['early', 'late']); // prettier-ignore
  });

  test('an item that goes on again and again does not go deeper: places stay short', () => {
    const counter = new OrderCounter();
    counter.begin(0);
    const places: Place[] = [];
    for (let i = 0; i < 1000; i++) {
      const callback = counter.suspend();
      const rest = counter.suspend();
      counter.enter(callback);
      places.push(counter.reserve());
      counter.enter(rest);
    }
    expect(places.toSorted(comparePlaces)).toEqual(places);
    expect(Math.max(...places.map(({ depth }) => depth))).toBe(2);
  });

  test('are those of a depth-first walk, in whatever order the parts are done', () => {
    interface Node {
      readonly children: readonly Node[];
    }
    const tree = fc.memo((depth): fc.Arbitrary<Node> =>
      depth === 1
        ? fc.constant({ children: [] })
        : fc.record({ children: fc.array(tree(), { maxLength: 3 }) }),
    );
    fc.assert(
      fc.property(tree(5), fc.infiniteStream(fc.nat()), (root, picks) => {
        const counter = new OrderCounter();
        const placed: [Place, string][] = [];
        const open: { readonly node: Node; readonly place: Place; readonly name: string }[] = [
          { node: root, place: new Place(undefined, 0, undefined), name: '' },
        ];
        while (open.length > 0) {
          const [item] = open.splice(Number(picks.next().value) % open.length, 1);
          if (item === undefined) break;
          counter.enter(item.place);
          item.node.children.forEach((node, index) => {
            const [place, name] = [counter.reserve(), `${item.name}.${index}`];
            placed.push([place, name]);
            open.push({ node, place, name });
          });
        }
        const walk = (node: Node, name: string): string[] =>
          node.children.flatMap((child, index) => [`${name}.${index}`, ...walk(child, `${name}.${index}`)]);
        expect(sorted(placed)).toEqual(walk(root, ''));
      }),
      { numRuns: 200, seed: 3 },
    );
  });
});

describe('a list by places', () => {
  test('gives what was put in any order in that of the places', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...Array(40).keys()]), (shuffled) => {
        const counter = new OrderCounter();
        const places = Array.from({ length: 8 }, (_, root) => {
          counter.begin(root);
          return Array.from({ length: 5 }, () => counter.reserve());
        }).flat();
        const list = new PlacedList<number>();
        for (const index of shuffled) list.push(places[index] as Place, index);
        const sorted = shuffled.toSorted((a, b) => a - b);
        expect(list.inOrder()).toEqual(sorted);
        const even = (index: number) => index % 2 === 0;
        expect(list.filter(even).inOrder()).toEqual(sorted.filter(even));
      }),
    );
  });

  test('knows which item something comes of', () => {
    const counter = new OrderCounter();
    counter.begin(3);
    const place = counter.reserve();
    counter.begin(4);
    expect(counter.origin).toBe(4);
    counter.enter(place);
    counter.enter(counter.reserve());
    expect(counter.origin).toBe(3);
    counter.leave();
    expect(counter.origin).toBeUndefined();
  });
});
