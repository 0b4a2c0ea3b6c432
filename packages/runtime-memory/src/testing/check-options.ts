import { checkTimestamp, RsError } from '@rs/core';
import { checkChoice, checkMethods } from '@rs/runtime';
import { shown } from '../shown.ts';
import type { TestDriverOptions } from './options.ts';

const WHERE = 'TestDriver.of';

/**
 * Refuses what the types refuse, for callers without them. Durations are checked where they are read.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_TIMESTAMP`
 */
export function checkDriverOptions(options: TestDriverOptions): void {
  if (!isObject(options)) throw refused('the options must be an object', options);
  const { topics, batchSize, startTime, processingTime, windowLatenessMode, logger } = options;
  if (topics !== undefined) checkTopics(topics);
  if (batchSize !== undefined) checkCount(batchSize, 'batchSize');
  if (startTime !== undefined) checkTimestamp(startTime, `${WHERE}: startTime`);
  if (processingTime !== undefined)
    checkChoice(processingTime, ['clock', 'records'], `${WHERE}: processingTime`);
  if (windowLatenessMode !== undefined)
    checkChoice(windowLatenessMode, ['refire', 'postpone'], `${WHERE}: windowLatenessMode`);
  if (logger !== undefined) checkMethods(logger, ['debug', 'info', 'warn', 'error'], WHERE, 'a logger');
}

/**
 * Refuses partitions for a topic that the job does not read: the name is misspelt, and the topic that was meant would have
 * one partition.
 *
 * @throws RsError `RS_UNKNOWN_TOPIC`
 */
export function checkTopicsAreRead(
  topics: Readonly<Record<string, number>>,
  read: ReadonlySet<string>,
): void {
  for (const topic of Object.keys(topics)) if (!read.has(topic)) throw notRead(WHERE, topic, [...read]);
}

/** The error for a topic that the job does not read, or for what is no topic. */
export function notRead(where: string, topic: unknown, read: readonly string[]): RsError {
  const known = read.length === 0 ? 'it reads none' : `it reads ${read.map(shown).join(', ')}`;
  const problem =
    typeof topic === 'string'
      ? `the job does not read a topic '${topic}'; ${known}`
      : `needs a topic that the job reads, or its name, got ${shown(topic)}; ${known}`;
  return new RsError('RS_UNKNOWN_TOPIC', `${where}: ${problem}`, { details: { topic, known: read } });
}

function checkTopics(topics: unknown): void {
  if (!isObject(topics)) throw refused('topics must be an object with numbers of partitions', topics);
  for (const [name, partitions] of Object.entries(topics as Record<string, unknown>))
    checkCount(partitions, `the number of partitions of topic '${name}'`);
}

function checkCount(count: unknown, what: string): void {
  if (!Number.isSafeInteger(count) || (count as number) < 1)
    throw refused(`${what} must be an integer of at least 1`, count);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function refused(problem: string, received: unknown): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `${WHERE}: ${problem}, got ${shown(received)}`, {
    details: { operation: WHERE, received },
  });
}
