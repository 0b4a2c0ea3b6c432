import { type MaybePromise, RsError, type StandardIssue, type Topic } from '@rs/core';
import { isThenable } from './is-thenable.ts';

/**
 * What the schema of a topic makes of a value; without a schema, the value.
 *
 * @param what names the value in the message: `a value sent to topic 'orders'`
 * @throws RsError `RS_INVALID_VALUE` with the issues when the schema refuses it, `RS_USER_FUNCTION_FAILED` when the schema
 *   throws; a schema that answers later does so with its promise
 */
export function topicValue<T>(
  topic: Topic<T, unknown>,
  value: unknown,
  what: string,
  details: Readonly<Record<string, unknown>>,
): MaybePromise<T> {
  const { name, value: schema } = topic;
  if (schema === undefined) return value as T;
  let result: MaybePromise<SchemaResult<T>>;
  try {
    result = schema['~standard'].validate(value);
  } catch (error) {
    throw failed(name, error);
  }
  if (!isThenable(result)) return accepted(result, what, details);
  return result.then(
    (settled) => accepted(settled, what, details),
    (error: unknown) => {
      throw failed(name, error);
    },
  );
}

type SchemaResult<T> = Awaited<ReturnType<NonNullable<Topic<T, unknown>['value']>['~standard']['validate']>>;

/** Issues that a message names; `details` have them all. */
const NAMED_ISSUES = 5;

function accepted<T>(result: SchemaResult<T>, what: string, details: Readonly<Record<string, unknown>>): T {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ message, path }) => ({ path: pathOf(path), message }));
  const named = issues
    .slice(0, NAMED_ISSUES)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length > NAMED_ISSUES ? [`${issues.length - NAMED_ISSUES} more`] : [];
  throw new RsError(
    'RS_INVALID_VALUE',
    `${what} is refused by the topic's schema: ${[...named, ...more].join('; ')}`,
    { details: { ...details, issues } },
  );
}

function pathOf(path: StandardIssue['path'] = []): string {
  return path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.');
}

function failed(topic: string, error: unknown): RsError {
  const reason = error instanceof Error ? error.message : String(error);
  return new RsError('RS_USER_FUNCTION_FAILED', `the schema of topic '${topic}' failed: ${reason}`, {
    cause: error,
    details: { topic },
  });
}
