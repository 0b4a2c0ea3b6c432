import { beforeEach, describe, expect, test } from '@jest/globals';
import { isRsError, type RsError, type StandardResult, type StandardSchema, topic } from '@rs/core';
import { MemoryTopics, StreamExecutionEnvironment } from '../index.ts';
import { MODES, type Mode, run } from '../test-support/run.ts';
import { thrownBy } from '../test-support/coded.ts';

let topics: MemoryTopics;

beforeEach(() => {
  topics = new MemoryTopics({ clock: { now: () => 0 } });
  topics.create('dates', { partitions: 2 });
});

type Validate = (value: unknown) => StandardResult<Date> | Promise<StandardResult<Date>>;

const schemaOf = (validate: Validate): StandardSchema<string, Date> => ({
  '~standard': { version: 1, vendor: 'test', validate },
});

/** Makes dates of texts. */
function parse(text: unknown): StandardResult<Date> {
  const date = new Date(text as string);
  if (!Number.isNaN(date.getTime())) return { value: date };
  return { issues: [{ message: 'no date', path: ['at', { key: 0 }, Symbol('s')] }, { message: 'sorry' }] };
}

const dates = topic('dates', { value: schemaOf(parse) });
const later = topic('dates', { value: schemaOf(async (text) => parse(text)) });

async function read(mode: Mode, from: typeof dates): Promise<Date[]> {
  const found: Date[] = [];
  await run(
    mode,
    (env) => env.fromTopic(from, 'g', { until: 'now' }).addSink((date) => void found.push(date)),
    { topics },
  );
  return found;
}

async function failureOf(promise: Promise<unknown>): Promise<RsError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (isRsError(error)) return error;
  throw new Error('expected an RsError', { cause: error });
}

describe('fromTopic', () => {
  test.each(MODES)('gives what the schema makes of what was sent (%s)', async (mode) => {
    topics.send(dates, { value: '2024-01-01', partition: 0 });
    expect(await read(mode, dates)).toEqual([new Date('2024-01-01')]);
  });

  test('gives the values as they are where there is no schema', async () => {
    const value = { nested: [1] };
    topics.send('dates', { value });
    const found: unknown[] = [];
    await run(
      'eager',
      (env) => env.fromTopic(topic('dates'), 'g', { until: 'now' }).addSink((one) => void found.push(one)),
      { topics },
    );
    expect(found[0]).toBe(value);
  });

  test('waits for a schema that answers later, and keeps the order', async () => {
    for (const value of ['2024-01-01', '2024-01-02', '2024-01-03'])
      topics.send('dates', { value, partition: 0 });
    expect(await read('async', later)).toEqual(
      ['2024-01-01', '2024-01-02', '2024-01-03'].map((text) => new Date(text)),
    );
  });

  test('an eager run cannot wait for it', () => {
    topics.send(later, { value: '2024-01-01' });
    const stream = StreamExecutionEnvironment.getExecutionEnvironment({ topics }).fromTopic(later, 'g', {
      until: 'now',
    });
    const error = thrownBy(() => stream.addSink(() => undefined), 'RS_ASYNC_IN_EAGER_RUN');
    expect(error.message).toContain("map 'values of dates'");
  });

  test.each([
    ['at once', dates],
    ['later', later],
  ])('a value that the schema refuses %s fails the run, and the message is named', async (_when, from) => {
    topics.send('dates', { value: '2024-01-01', partition: 1 });
    topics.send('dates', { value: 'tomorrow', partition: 1 });
    const error = await failureOf(read('async', from));
    expect(error.code).toBe('RS_INVALID_VALUE');
    expect(error.message).toBe(
      "map 'values of dates': message 2-0 in partition 1 of topic 'dates' is refused by the topic's schema: " +
        'at.0.Symbol(s): no date; sorry',
    );
    expect(error.details).toEqual({
      operator: "map 'values of dates'",
      topic: 'dates',
      partition: 1,
      id: '2-0',
      issues: [
        { path: 'at.0.Symbol(s)', message: 'no date' },
        { path: '', message: 'sorry' },
      ],
    });
  });

  test('a schema that throws fails the run as a function does', async () => {
    const broken = topic('dates', {
      value: schemaOf(() => {
        throw new Error('out of order');
      }),
    });
    topics.send('dates', { value: 'x' });
    const error = await failureOf(read('async', broken));
    expect(error.code).toBe('RS_USER_FUNCTION_FAILED');
    expect(error.message).toBe("map 'values of dates' failed: out of order");
  });

  test('the message has its key and its time also when only the value is passed on', async () => {
    topics.send(dates, { key: 'ada', value: '2024-01-01', timestamp: 17 });
    const found: string[] = [];
    await run(
      'eager',
      (env) =>
        env
          .fromTopic(dates, 'g', { until: 'now' })
          .keyByMessageKey()
          .process<string>((key, date, ctx, out) =>
            out.collect(`${key} ${date.toISOString()} ${ctx.currentEventTime()}`),
          )
          .addSink((text) => void found.push(text)),
      { topics },
    );
    expect(found).toEqual(['ada 2024-01-01T00:00:00.000Z 17']);
  });
});
