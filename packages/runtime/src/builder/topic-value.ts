import { type MaybePromise, type Message, RsError, type StandardIssue, type Topic } from '@rs/core';
import { isPromise } from '../promise.ts';

/** What takes the value out of a message, as the topic's schema makes it. */
export function topicValue<T>({
  value: schema,
}: Topic<T, unknown>): (message: Message<unknown>) => MaybePromise<T> {
  if (schema === undefined) return ({ value }) => value as T;
  return (message) => {
    const result = schema['~standard'].validate(message.value);
    return isPromise(result)
      ? result.then((settled) => accepted(settled, message))
      : accepted(result, message);
  };
}

type SchemaResult<T> = Awaited<ReturnType<NonNullable<Topic<T, unknown>['value']>['~standard']['validate']>>;

function accepted<T>(result: SchemaResult<T>, { topic, partition, id }: Message<unknown>): T {
  if (result.issues === undefined) return result.value;
  throw refusedValue(`message ${id} in partition ${partition} of topic '${topic}'`, result.issues, {
    topic,
    partition,
    id,
  });
}

/** Issues that a message names; `details` have them all. */
const NAMED_ISSUES = 5;

/** The error for a value that a schema refuses. */
export function refusedValue(
  what: string,
  issues: readonly StandardIssue[],
  details: Readonly<Record<string, unknown>>,
): RsError {
  const told = issues.map(({ message, path }) => ({ path: pathOf(path), message }));
  const named = told
    .slice(0, NAMED_ISSUES)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = told.length > NAMED_ISSUES ? [`${told.length - NAMED_ISSUES} more`] : [];
  return new RsError(
    'RS_INVALID_VALUE',
    `${what} is refused by the topic's schema: ${[...named, ...more].join('; ')}`,
    { details: { ...details, issues: told } },
  );
}

function pathOf(path: StandardIssue['path'] = []): string {
  return path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.');
}
