import {
  aggregatingState,
  type DataStream,
  type KeyedStream,
  listState,
  mapState,
  reducingState,
  setState,
  type StateDescriptor,
  type StateOf,
  type StreamEnvironment,
  topic,
  valueState,
} from '@rs/core';
import { ANY_PARTITIONING, type InputMessage } from '../case.ts';
import { events, eventsOf } from '../input.ts';
import { inArea } from './in-area.ts';

const COMMANDS = topic<string>('commands');

/** One message per word, at 0, 1, 2, …; all of one key. */
function commands(text: string): InputMessage[] {
  return text.split(' ').map((value, timestamp) => ({ topic: COMMANDS.name, key: 'k', value, timestamp }));
}

function commandsOf(env: StreamEnvironment): KeyedStream<string, string> {
  return env.fromTopic(COMMANDS, 'conformance', { until: 'now' }).keyBy(() => 'k');
}

/** What `run` says after each command. */
function after<D extends StateDescriptor>(
  keyed: KeyedStream<string, string>,
  descriptor: D,
  run: (state: StateOf<D>, command: string) => unknown,
): DataStream<unknown> {
  return keyed.process<unknown>({
    open: (ctx) => void ctx.state(descriptor),
    processElement: (_key, command, ctx, out) => out.collect(run(ctx.state(descriptor), command)),
  });
}

export const STATE = inArea('state', [
  {
    name: 'value: default, update, null, undefined, clear',
    partitions: ANY_PARTITIONING,
    input: commands('read 5 read null read 0 undefined 8 clear read'),
    define(env, sink) {
      const value = valueState('value', { default: () => 7 });
      const text = valueState<string>('text');
      const keyed = commandsOf(env);
      sink(
        'value',
        after(keyed, value, (state, command) => {
          if (command === 'clear') state.clear();
          else if (command === 'null') state.update(null);
          else if (command === 'undefined') state.update(undefined);
          else if (command !== 'read') state.update(Number(command));
          return state.value();
        }),
      );
      sink(
        'text',
        after(keyed, text, (state, command) => {
          const before = state.value();
          state.update(command === '0' ? '' : command);
          return before;
        }),
      );
    },
    expected: {
      value: [7, 5, 5, 7, 7, 0, 7, 8, 7, 7],
      text: [undefined, 'read', '5', 'read', 'null', 'read', '', 'undefined', '8', 'clear'],
    },
  },
  {
    name: 'a default is made anew for each key and each read',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 b:2@2 a:3@3'),
    define(env, sink) {
      const list = valueState<number[]>('list', { default: () => [] });
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .process<string>({
            open: (ctx) => void ctx.state(list),
            processElement(key, { amount }, ctx, out) {
              const state = ctx.state(list);
              state.value().push(99); // Of a default that nobody else will see, or of a value that is replaced.
              state.update([...state.value().filter((one) => one !== 99), amount]);
              out.collect(`${key} ${state.value().join()}`);
            },
          }),
      );
    },
    expected: { out: ['a 1', 'b 2', 'a 1,3'] },
  },
  {
    name: 'map: entries in the order of their first put, keys by value',
    partitions: ANY_PARTITIONING,
    input: commands('b a b -b b 1 clear __proto__'),
    define(env, sink) {
      const map = mapState<string | number, number>('map');
      const checks = (state: StateOf<typeof map>) =>
        [
          state.isEmpty(),
          state.contains('b'),
          state.contains(1),
          state.contains('1'),
          state.get('a'),
        ] as const;
      const counted = (state: StateOf<typeof map>, command: string) => {
        const key = command === '1' ? 1 : command;
        if (command === 'clear') state.clear();
        else if (command.startsWith('-')) state.remove(command.slice(1));
        else state.put(key, (state.get(key) ?? 0) + 1);
      };
      const keyed = commandsOf(env);
      sink(
        'entries',
        after(keyed, map, (state, command) => {
          counted(state, command);
          return [...state.entries()];
        }),
      );
      sink(
        'checks',
        after(keyed, map, (state, command) => {
          counted(state, command);
          return checks(state);
        }),
      );
    },
    expected: {
      entries: [
        [['b', 1]],
        // prettier-ignore
        [['b', 1], ['a', 1]],
        // prettier-ignore
        [['b', 2], ['a', 1]],
        [['a', 1]],
        // prettier-ignore
        [['a', 1], ['b', 1]],
        // prettier-ignore
        [['a', 1], ['b', 1], [1, 1]],
        [],
        [['__proto__', 1]],
      ],
      checks: [
        [false, true, false, false, undefined],
        [false, true, false, false, 1],
        [false, true, false, false, 1],
        [false, false, false, false, 1],
        [false, true, false, false, 1],
        [false, true, true, false, 1],
        [true, false, false, false, undefined],
        [false, false, false, false, undefined],
      ],
    },
  },
  {
    name: 'list: add, addAll, update, clear; what get gives is a copy',
    partitions: ANY_PARTITIONING,
    input: commands('a b more set clear c'),
    define(env, sink) {
      sink(
        'out',
        after(commandsOf(env), listState<string>('list'), (state, command) => {
          if (command === 'more') state.addAll(['x', 'y']);
          else if (command === 'set') state.update(['z', 'a']);
          else if (command === 'clear') state.clear();
          else state.add(command);
          state.get().push('lost');
          return state.get().join('');
        }),
      );
    },
    expected: { out: ['a', 'ab', 'abxy', 'za', '', 'c'] },
  },
  {
    name: 'set: members in the order in which they were added, by value',
    partitions: ANY_PARTITIONING,
    input: commands('a b a -a a -x clear a'),
    define(env, sink) {
      sink(
        'out',
        after(commandsOf(env), setState<{ readonly name: string }>('set'), (state, command) => {
          const changed = (): unknown => {
            if (command === 'clear') return state.clear();
            if (command.startsWith('-')) return state.remove({ name: command.slice(1) });
            return state.add({ name: command });
          };
          const names = () => state.get().map(({ name }) => name);
          return [changed(), names().join(''), state.size(), state.isEmpty(), state.contains({ name: 'b' })];
        }),
      );
    },
    expected: {
      out: [
        [true, 'a', 1, false, false],
        [true, 'ab', 2, false, true],
        [false, 'ab', 2, false, true],
        [true, 'b', 1, false, true],
        [true, 'ba', 2, false, true],
        [false, 'ba', 2, false, true],
        [undefined, '', 0, true, false],
        [true, 'a', 1, false, false],
      ],
    },
  },
  {
    name: 'reducing and aggregating: what was added so far',
    partitions: ANY_PARTITIONING,
    input: commands('3 1 5 clear 2'),
    define(env, sink) {
      const highest = reducingState<number>('highest', { reduce: (a, b) => Math.max(a, b) });
      const mean = aggregatingState('mean', {
        aggregate: {
          createAccumulator: () => ({ sum: 0, count: 0 }),
          // In place, as users do.
          add(value: number, acc) {
            acc.sum += value;
            acc.count += 1;
            return acc;
          },
          getResult: ({ sum, count }) => sum / count,
        },
      });
      const keyed = commandsOf(env);
      const added = (state: StateOf<typeof highest> | StateOf<typeof mean>, command: string) => {
        const before = state.get();
        if (command === 'clear') state.clear();
        else state.add(Number(command));
        return [before, state.get()];
      };
      sink('highest', after(keyed, highest, added));
      sink('mean', after(keyed, mean, added));
    },
    expected: {
      highest: [
        [undefined, 3],
        [3, 3],
        [3, 5],
        [5, undefined],
        [undefined, 2],
      ],
      mean: [
        [undefined, 3],
        [3, 2],
        [2, 3],
        [3, undefined],
        [undefined, 2],
      ],
    },
  },
  {
    name: 'a state that was not declared',
    input: commands('a'),
    define(env, sink) {
      const value = valueState<string>('value');
      sink(
        'out',
        commandsOf(env).process((_key, _command, ctx) => ctx.state(value).clear()),
      );
    },
    expected: {},
    fails: 'RS_STATE_UNDECLARED',
  },
]);
