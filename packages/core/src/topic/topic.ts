import { checkObject } from '../check-object.ts';
import { RsError } from '../errors/rs-error.ts';
import { checkName } from '../names.ts';
import type { SchemaInput, SchemaOutput, StandardSchema } from '../standard-schema.ts';

/** A topic as jobs and senders name it: immutable, and without a connection to any engine. */
export interface Topic<T, Input = T> {
  readonly name: string;
  /** Checks each value that is read, and makes of what was sent (`Input`) what the stream carries (`T`). */
  readonly value: StandardSchema<Input, T> | undefined;
}

export interface TopicOptions<S> {
  /**
   * A schema of any library that speaks Standard Schema. `fromTopic` gives what it makes of each value; a value that it
   * refuses fails the run with `RS_INVALID_VALUE`. Without one, values are passed on unseen.
   */
  readonly value: S;
}

/**
 * Names a topic and the type of its values. It does not create the topic.
 *
 * @param name `[A-Za-z0-9._-]{1,128}`
 * @throws RsError `RS_INVALID_NAME`; `RS_INVALID_ARGUMENT` when `options` is no object or `value` no Standard Schema
 */
export function topic<T = unknown>(name: string): Topic<T>;
export function topic<S extends StandardSchema>(
  name: string,
  options: TopicOptions<S>,
): Topic<SchemaOutput<S>, SchemaInput<S>>;
export function topic(name: string, options: Partial<TopicOptions<StandardSchema>> = {}): Topic<unknown> {
  checkName(name, 'a topic');
  checkObject(options, `topic '${name}': options`);
  const { value } = options;
  if (value !== undefined) checkSchema(value, name);
  return Object.freeze({ name, value });
}

function checkSchema(schema: StandardSchema, name: string): void {
  if (typeof (schema as Partial<StandardSchema> | null)?.['~standard']?.validate === 'function') return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `topic '${name}': value must be a Standard Schema (an object with '~standard'), as Zod, Valibot and ArkType make them`,
    { details: { topic: name } },
  );
}
