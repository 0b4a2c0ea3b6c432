import { describe, expect, test } from '@jest/globals';
import { listState, mapState, setState, valueState } from '@rs/core';
import fc from 'fast-check';
import { Overlay } from '../test-support/overlay.ts';

const VALUE = valueState<{ n: number }>('value');
const MAP = mapState<string, number>('map');
const LIST = listState<number>('list');
const SET = setState<number | string>('set');
const KEYS = ['a', '__proto__', '7'];

/** All states of one key, as plain values. */
interface Model {
  value: { n: number } | undefined;
  map: [string, number][];
  list: number[];
  set: (number | string)[];
}

type Step = { readonly key: string; readonly n: number; readonly op: string };

const OPS = [
  'value.update', 'value.clear', 'value.mutate',
  'map.put', 'map.put', 'map.remove', 'map.clear',
  'list.add', 'list.add', 'list.addAll', 'list.update', 'list.clear',
  'set.add', 'set.add', 'set.remove', 'set.clear',
  'commit', 'hand over', 'hand over', 'arrive', 'rollback', 'evict', 'crash',
]; // prettier-ignore

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    key: fc.constantFrom(...KEYS),
    n: fc.integer({ min: 0, max: 5 }),
    op: fc.constantFrom(...OPS),
  }),
  { maxLength: 60 },
);

const empty = (): Model => ({ value: undefined, map: [], list: [], set: [] });
const copy = (models: Map<string, Model>) =>
  new Map([...models].map(([key, model]) => [key, structuredClone(model)]));

function openAll(overlay: Overlay) {
  const slots = {
    value: overlay.open(VALUE),
    map: overlay.open(MAP),
    list: overlay.open(LIST),
    set: overlay.open(SET),
  };
  const handles = async (key: string) => ({
    value: await overlay.handle(slots.value, VALUE, key),
    map: await overlay.handle(slots.map, MAP, key),
    list: await overlay.handle(slots.list, LIST, key),
    set: await overlay.handle(slots.set, SET, key),
  });
  return { overlay, handles };
}

type Handles = Awaited<ReturnType<ReturnType<typeof openAll>['handles']>>;

/** Does one operation to both; results must agree. */
function apply({ op, n }: Step, state: Handles, model: Model): void {
  const name = `e${n}`;
  const at = model.map.findIndex(([key]) => key === name);
  const member = n % 2 === 0 ? n : name;
  switch (op) {
    case 'value.update':
      state.value.update({ n });
      model.value = { n };
      return;
    case 'value.clear':
      state.value.clear();
      model.value = undefined;
      return;
    case 'value.mutate': {
      // Changes the stored object itself, as user code does before it updates.
      const value = state.value.value();
      if (value === undefined) return;
      value.n += 1;
      state.value.update(value);
      model.value = { n: (model.value?.n ?? 0) + 1 };
      return;
    }
    case 'map.put':
      state.map.put(name, n * 10);
      if (at < 0) model.map.push([name, n * 10]);
      return;
    case 'map.remove':
      state.map.remove(name);
      if (at >= 0) model.map.splice(at, 1);
      return;
    case 'map.clear':
      state.map.clear();
      model.map = [];
      return;
    case 'list.add':
      state.list.add(n);
      model.list.push(n);
      return;
    case 'list.addAll':
      state.list.addAll([n, n + 1]);
      model.list.push(n, n + 1);
      return;
    case 'list.update':
      state.list.update(Array.from({ length: n }, (_, i) => i));
      model.list = Array.from({ length: n }, (_, i) => i);
      return;
    case 'list.clear':
      state.list.clear();
      model.list = [];
      return;
    case 'set.add':
      expect(state.set.add(member)).toBe(!model.set.includes(member));
      if (!model.set.includes(member)) model.set.push(member);
      return;
    case 'set.remove':
      expect(state.set.remove(member)).toBe(model.set.includes(member));
      model.set = model.set.filter((one) => one !== member);
      return;
    case 'set.clear':
      state.set.clear();
      model.set = [];
      return;
  }
}

function read(state: Handles): Model {
  return {
    value: state.value.value(),
    map: [...state.map.entries()],
    list: state.list.get(),
    set: state.set.get(),
  };
}

describe('a state store over a backend', () => {
  test('equals plain values through commits, rollbacks, evictions and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        let { overlay, handles } = openAll(new Overlay());
        let models = new Map(KEYS.map((key) => [key, empty()]));
        let handedOver = copy(models);
        let stored = copy(models);
        const settle = async () => {
          await overlay.settle();
          stored = copy(handedOver);
        };
        for (const step of all) {
          switch (step.op) {
            case 'commit':
            case 'hand over':
              await settle();
              await overlay.handOver();
              handedOver = copy(models);
              if (step.op === 'commit') await settle();
              break;
            case 'arrive':
              await overlay.arrive();
              stored = copy(handedOver);
              break;
            case 'rollback':
              await settle();
              overlay.store.rollback();
              models = copy(handedOver);
              break;
            case 'evict':
              overlay.store.evict(step.n * 400);
              break;
            case 'crash':
              ({ overlay, handles } = openAll(new Overlay(overlay)));
              models = copy(stored);
              handedOver = copy(stored);
              break;
            default:
              apply(step, await handles(step.key), models.get(step.key) ?? empty());
          }
          for (const key of KEYS) expect(read(await handles(key))).toEqual(models.get(key));
        }
        await overlay.commit();
        const left = overlay.backend
          .cells()
          .filter(([, cell]) => cell.layout === 'value' || cell.elements.length > 0);
        const present = [...models.values()].flatMap(({ value, map, list, set }) =>
          [value !== undefined, map.length > 0, list.length > 0, set.length > 0].filter(Boolean),
        );
        expect(left).toHaveLength(present.length);
        expect(overlay.backend.cells()).toHaveLength(present.length);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test('changes are absolute: applying a commit twice is the same as once', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { overlay, handles } = openAll(new Overlay());
        const other = new Overlay();
        const models = new Map(KEYS.map((key) => [key, empty()]));
        let seq = 0;
        const base = { offset: 0, timers: [], outputs: [], sent: [], operators: {}, late: {} };
        for (const step of all) {
          apply(step, await handles(step.key), models.get(step.key) ?? empty());
          if (step.op !== 'commit') continue;
          const cells = await overlay.commit();
          for (let twice = 0; twice < 2; twice++) await other.backend.commit({ ...base, seq: ++seq, cells });
        }
        await overlay.commit().then((cells) => other.backend.commit({ ...base, seq: ++seq, cells }));
        expect(new Map(other.backend.cells())).toEqual(new Map(overlay.backend.cells()));
      }),
      { numRuns: 100, seed: 2 },
    );
  });
});
