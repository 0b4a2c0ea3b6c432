import {
  CEP,
  type KeyedPartialMatch,
  type Match,
  Pattern,
  type PatternLike,
  type PatternProcessOptions,
} from '@rs/cep';
import { type DataStream, type KeyedStream, outputTag, type StreamEnvironment } from '@rs/core';
import { ANY_PARTITIONING, type SinkTo } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { matchesBy } from '../model/matches.ts';
import { randomEvents } from '../random.ts';
import { firstWord, stamped } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';
import { userError } from './user-error.ts';

type Options = PatternProcessOptions<string, Event, object>;

const LATE = outputTag<Event>('late');
const TIMED_OUT = outputTag<KeyedPartialMatch<string, Event, object>>('timed-out');
const DROPPED = outputTag<KeyedPartialMatch<string, Event, object>>('dropped');

const amount =
  (...amounts: readonly number[]) =>
  (event: Event): boolean =>
    amounts.includes(event.amount);
const begin = Pattern.of<Event>().begin('one', amount(1));
const oneTwo = begin.followedBy('two', amount(2));

/** `a 1@0 2@3`: the key, and amount and time of each event. */
const shown = (match: Match<Event, object>, key: string): string =>
  [key, ...match.sequence.map((event) => `${event.amount}@${event.at}`)].join(' ');

type Keyed = KeyedStream<string, Event>;

const byKey = (env: StreamEnvironment): Keyed => eventsOf(env).keyBy(({ key }) => key);

function found(
  keyed: Keyed,
  pattern: PatternLike<Event, object>,
  options: Options = {},
  uid = 'pattern',
): DataStream<string> {
  return CEP.pattern(keyed, pattern, options).select((match) => shown(match, match.key), { uid });
}

function partials(stream: DataStream<string>, tag: typeof TIMED_OUT): DataStream<string> {
  return stream.getSideOutput(tag).map((partial) => shown(partial, partial.key));
}

/** As {@link found}, with what has timed out, and keys that stay where their messages are. */
function random(pattern: PatternLike<Event, object>): (env: StreamEnvironment, sink: SinkTo) => void {
  return (env, sink) => {
    const matches = CEP.pattern(eventsOf(env).keyByMessageKey(), pattern, {
      timedOutOutput: TIMED_OUT,
      maxTrackedKeys: 3,
    }).select((match) => shown(match, match.key), { uid: 'pattern' });
    sink('out', matches);
    sink('timed-out', partials(matches, TIMED_OUT));
  };
}

const OUT_OF_ORDERNESS = 15;

const RANDOM = {
  partitions: ANY_PARTITIONING,
  keyOf: firstWord,
  settings: { watermarkOutOfOrderness: OUT_OF_ORDERNESS },
} as const;

const MODEL = { outOfOrderness: OUT_OF_ORDERNESS, shown } as const;

const rising = Pattern.of<Event>()
  .begin('low', amount(0, 1, 2))
  .followedBy(
    'more',
    (event, context) => event.amount > (context.last('more') ?? context.last('low') ?? event).amount,
  )
  .oneOrMore()
  .followedBy('end', amount(9))
  .within(60)
  .skipPastLastEvent();

const strict = Pattern.of<Event>()
  .begin('first', amount(0, 1, 2, 3, 4))
  .next('second', amount(5, 6, 7))
  .optional()
  .next('third', amount(8, 9))
  .within(40);

const absent = begin
  .followedBy('two', amount(2, 3))
  .notFollowedBy(amount(7, 8, 9))
  .within(30);

const grouped = Pattern.of<Event>()
  .begin('open', amount(0, 1))
  .notNext(amount(9))
  .followedBy(Pattern.of<Event>().begin('low', amount(2, 3)).followedBy('high', amount(7, 8)))
  .times(1, 2)
  .followedBy('rest', amount(4, 5))
  .zeroOrMore()
  .until(amount(6))
  .followedBy('close', amount(6, 9))
  .within(80)
  .skipToLast('high');

const greedy = Pattern.of<Event>()
  .begin('low', amount(0, 1))
  .followedBy('any', amount(2, 3, 4))
  .oneOrMore()
  .greedy()
  .notFollowedBy(amount(8))
  .followedByAny('high', amount(7, 9))
  .within(25, 'previous-to-current');

export const PATTERNS = inArea('patterns', [
  {
    name: 'golden: a sequence by key, at the time of its last event',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a:1@0 b:2@1 a:5@2 b:1@3 a:2@4 a:2@5 b:2@6'),
    define(env, sink) {
      sink('out', stamped(found(byKey(env), oneTwo)));
    },
    expected: { out: ['a 1@0 2@4 @ 4', 'b 1@3 2@6 @ 6'] },
  },
  {
    name: 'golden: events are taken in the order of their times, and late ones are not',
    settings: { watermarkOutOfOrderness: 5 },
    // Behind 10 the watermark is 4: 4 is late then, 5 is not. Behind 20 it is 14.
    input: events('a:2@9 a:1@7 a:1@10 a:1@4 a:2@5 a:1@20 a:2@14'),
    define(env, sink) {
      const matches = found(byKey(env), oneTwo, { lateOutput: LATE });
      sink('out', stamped(matches));
      sink(
        'late',
        matches.getSideOutput(LATE).map((event) => `${event.amount}@${event.at}`),
      );
    },
    expected: { out: ['a 1@7 2@9 @ 9'], late: ['1@4', '2@14'] },
    late: { pattern: 2 },
  },
  {
    name: 'ties keep the order of arrival, or have one of their own',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:2@5 a:1@5'),
    define(env, sink) {
      const keyed = byKey(env);
      const order = (x: Event, y: Event): number => x.amount - y.amount;
      sink('arrival', found(keyed, oneTwo, {}, 'as-they-came'));
      sink('smallest-first', found(keyed, oneTwo, { order }, 'smallest'));
    },
    expected: { arrival: [], 'smallest-first': ['a 1@5 2@5'] },
  },
  {
    name: 'silence is noticed: time that is over, and what has not followed',
    // Behind b@30 the watermark is 29; the end of the input is later than all.
    input: events('a:1@0 b:1@5 b:2@14 a:2@10 b:7@30'),
    settings: { watermarkOutOfOrderness: 4 },
    define(env, sink) {
      const keyed = byKey(env);
      const matches = found(keyed, oneTwo.within(10), { timedOutOutput: TIMED_OUT });
      sink('matches', stamped(matches));
      sink('timed-out', stamped(partials(matches, TIMED_OUT)));
      sink('nothing', stamped(found(keyed, begin.notFollowedBy(amount(2)).within(10), {}, 'absence')));
    },
    expected: {
      matches: ['b 1@5 2@14 @ 14'],
      'timed-out': ['a 1@0 @ 10'],
      nothing: ['a 1@0 @ 10'],
    },
  },
  {
    name: 'in processing time events are taken as they come',
    input: events('a:1@0 b:1@2 a:2@8 b:2@20 a:1@21'),
    define(env, sink) {
      const matches = found(byKey(env), oneTwo.within(10), { time: 'processing', timedOutOutput: TIMED_OUT });
      sink('out', matches);
      sink('timed-out', partials(matches, TIMED_OUT));
    },
    expected: { out: ['a 1@0 2@8'], 'timed-out': ['b 1@2', 'a 1@21'] },
  },
  {
    name: 'a match waits for an earlier one, and for the end of the input at most',
    // 3@1 8@2 waits while 1@0 may still become a match; so does 3@11 8@12 for 1@10, which never is one.
    input: events('a:1@0 a:3@1 a:8@2 a:6@3 a:1@10 a:3@11 a:8@12'),
    define(env, sink) {
      const five = Pattern.of<Event>()
        .begin('first', amount(1, 3))
        .followedBy('last', (event, context) => event.amount - (context.last('first')?.amount ?? 0) === 5);
      sink('out', found(byKey(env), five.skipToNext()));
    },
    expected: { out: ['a 1@0 6@3', 'a 3@1 8@2', 'a 3@11 8@12'] },
  },
  {
    name: 'what begins first is given up where a limit says so',
    partitions: ANY_PARTITIONING,
    input: events('a:1@0 a:1@1 a:1@2 a:2@3'),
    define(env, sink) {
      const matches = found(byKey(env), oneTwo, {
        maxRuns: 2,
        onLimit: 'drop-oldest',
        droppedOutput: DROPPED,
      });
      sink('out', matches);
      sink('dropped', partials(matches, DROPPED));
    },
    expected: { out: ['a 1@1 2@3', 'a 1@2 2@3'], dropped: ['a 1@0'] },
  },
  {
    name: 'any number of results per match, also later',
    async: true,
    partitions: ANY_PARTITIONING,
    input: events('a:1@0 a:2@1 a:1@2 a:2@3'),
    define(env, sink) {
      const results = CEP.pattern(byKey(env), oneTwo).flatSelect(async ({ start, events: { one, two } }) => {
        await Promise.resolve();
        return start === 0 ? undefined : [...one, ...two].map(({ at }) => at);
      });
      sink('out', results);
    },
    expected: { out: [2, 3] },
  },
  {
    name: 'a condition that fails',
    input: events('a:1@0'),
    define(env, sink) {
      const failing = Pattern.of<Event>().begin('one', () => {
        throw userError('no');
      });
      sink('out', found(byKey(env), failing));
    },
    expected: {},
    fails: 'RS_USER_FUNCTION_FAILED',
  },
  {
    name: 'more than a limit allows',
    input: events('a:1@0 a:1@1'),
    define(env, sink) {
      sink('out', found(byKey(env), oneTwo, { maxRuns: 1 }));
    },
    expected: {},
    fails: 'RS_PATTERN_LIMIT',
  },
  {
    name: 'two results of one pattern have each their own state',
    input: events('a:1@0 b:1@1 a:2@2 b:2@3'),
    define(env, sink) {
      const matches = CEP.pattern(byKey(env), oneTwo);
      sink(
        'times',
        matches.select(({ timestamp }) => timestamp, { uid: 'by-time' }),
      );
      sink(
        'keys',
        matches.flatSelect(({ key }) => [key], { uid: 'by-key' }),
      );
    },
    expected: { times: [2, 3], keys: ['a', 'b'] },
  },
  {
    ...RANDOM,
    name: 'random: groups, what does not follow directly, and skipping, as a matcher of its own finds them',
    input: randomEvents({ seed: 31, count: 2_000, keys: 3, disorder: 10 }),
    define: random(grouped),
    expected: matchesBy(grouped, MODEL),
  },
  {
    ...RANDOM,
    name: 'random: greedy loops with a time for each step, as a matcher of its own finds them',
    input: randomEvents({ seed: 32, count: 2_000, keys: 4, disorder: 10 }),
    define: random(greedy),
    expected: matchesBy(greedy, MODEL),
  },
  {
    ...RANDOM,
    name: 'random: rising amounts without overlaps, as a matcher of its own finds them',
    input: randomEvents({ seed: 21, count: 2_000, keys: 9, disorder: 12 }),
    define: random(rising),
    expected: matchesBy(rising, MODEL),
  },
  {
    ...RANDOM,
    name: 'random: what follows directly, as a matcher of its own finds it',
    input: randomEvents({ seed: 22, count: 2_000, keys: 5, disorder: 20 }),
    define: random(strict),
    expected: matchesBy(strict, MODEL),
  },
  {
    ...RANDOM,
    name: 'random: what has not followed, as a matcher of its own finds it',
    input: randomEvents({ seed: 23, count: 2_000, keys: 12, disorder: 12 }),
    define: random(absent),
    expected: matchesBy(absent, MODEL),
  },
]);
