import { checkName, checkObject, RsError, type SubscriptionOptions } from '@rs/core';
import type { TopicSpec } from './source-spec.ts';

/** A subscription as it is declared. */
export interface SubscriptionDraft {
  /** The method that declares it. */
  readonly method: string;
  readonly topic: string;
  readonly group: string;
  readonly options: SubscriptionOptions;
  /** The uid of the source, where it was given one. */
  readonly id: string | undefined;
}

/** The topics that an environment reads, each once per group. */
export class Subscriptions {
  readonly #declared: SubscriptionDraft[] = [];

  /** @throws RsError `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`, `RS_DUPLICATE_UID`, `RS_DUPLICATE_SUBSCRIPTION` */
  add(draft: SubscriptionDraft): TopicSpec {
    const { method, topic, group, id } = draft;
    if (id !== undefined)
      checkName(timeId(id), `${method}: the id with '.time', under which its watermark is kept,`);
    if (isTopic(topic)) throw topicForName(method, topic.name);
    checkName(topic, `${method}: the topic`);
    checkName(group, `${method}: the group`);
    const options = checkOptions(draft.options, method);
    for (const earlier of this.#declared) checkTogether(earlier, draft);
    this.#declared.push(draft);
    return Object.freeze({ type: 'topic', topic, group, options });
  }
}

/** The uid of a topic's watermarks, from that of the source. */
export function timeId(id: string): string {
  return `${id}.time`;
}

function checkTogether(earlier: SubscriptionDraft, later: SubscriptionDraft): void {
  const { topic, group, id } = later;
  if (id !== undefined && id === earlier.id) {
    throw new RsError(
      'RS_DUPLICATE_UID',
      `the id '${id}' is used by two sources, of topic '${earlier.topic}' and of topic '${topic}'; each needs its own, since it names their state`,
      { details: { uid: id, topics: [earlier.topic, topic] } },
    );
  }
  if (topic !== earlier.topic || group !== earlier.group) return;
  throw new RsError(
    'RS_DUPLICATE_SUBSCRIPTION',
    `topic '${topic}' would be read twice by group '${group}', by ${shown(earlier)} and by ${shown(later)}; ` +
      'use the first stream twice, or give the second subscription a group of its own',
    { details: { topic, group, subscriptions: [shown(earlier), shown(later)] } },
  );
}

function shown({ method, topic, group, id }: SubscriptionDraft): string {
  const given = [id, topic, group].filter((name) => name !== undefined);
  return `${method}(${given.map((name) => `'${name}'`).join(', ')})`;
}

function isTopic(topic: unknown): topic is { readonly name: string } {
  return typeof (topic as { readonly name?: unknown } | null | undefined)?.name === 'string';
}

function topicForName(method: string, topic: string): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `${method} takes the name of a topic, but got the topic '${topic}' itself; use fromTopic(topic, group) for its values, or pass its name`,
    { details: { operation: method, topic } },
  );
}

const MESSAGE_ID = /^\d+-\d+$/;
const PARTITION = /^(0|[1-9]\d*)$/;

/** Returns a copy: what the caller does with its objects later must not change the job. */
function checkOptions(options: SubscriptionOptions, method: string): SubscriptionOptions {
  checkObject(options, `${method}: options`);
  const { until, batchCount } = options;
  if (batchCount !== undefined && !(Number.isSafeInteger(batchCount) && batchCount >= 1)) {
    throw refused(method, 'batchCount must be an integer of at least 1', batchCount);
  }
  return Object.freeze({
    ...(until === undefined ? {} : { until: until === 'now' ? until : checkIds(until, method) }),
    ...(batchCount === undefined ? {} : { batchCount }),
  });
}

function checkIds(ids: Readonly<Record<number, string>>, method: string): Readonly<Record<number, string>> {
  if (!isPlainObject(ids)) {
    throw refused(
      method,
      "until must be 'now' or a plain object with message ids by number of partition",
      ids,
    );
  }
  for (const [partition, id] of Object.entries(ids)) {
    if (!PARTITION.test(partition)) throw refused(method, 'until names partitions by number', partition);
    if (typeof id !== 'string' || !MESSAGE_ID.test(id)) {
      throw refused(method, `until must give partition ${partition} a message id such as '17-0'`, id);
    }
  }
  return Object.freeze({ ...ids });
}

/** Of a list, a date or a map, nothing would be read, and the source would end at once. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also that of another realm, such as a `vm` context.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refused(method: string, problem: string, received: unknown): RsError {
  const got = typeof received === 'string' ? `'${received}'` : received === null ? 'null' : typeof received;
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `${method}: ${problem}, got ${typeof received === 'number' ? received : got}`,
    { details: { operation: method, received } },
  );
}
