import { checkObject, type JobDefinition, RsError } from '@rs/core';
import { checkChoice, checkMethods } from '@rs/runtime';
import type { ExecuteOptions, MemoryEnvironmentOptions } from './options.ts';
import { MemoryTopics } from './topic/memory-topics.ts';

/**
 * Refuses what the types refuse, for callers without them. Durations are checked where they are read.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`
 */
export function checkEnvironmentOptions(options: MemoryEnvironmentOptions): void {
  const where = 'getExecutionEnvironment';
  checkObject(options, `${where}: options`);
  const { eager, processingTime, windowLatenessMode, logger, clock, scheduler, topics } = options;
  if (eager !== undefined) checkChoice(eager, [true, false], `${where}: eager`);
  if (processingTime !== undefined)
    checkChoice(processingTime, ['records', 'clock'], `${where}: processingTime`);
  if (windowLatenessMode !== undefined)
    checkChoice(windowLatenessMode, ['refire', 'postpone'], `${where}: windowLatenessMode`);
  if (logger !== undefined) checkMethods(logger, ['debug', 'info', 'warn', 'error'], where, 'a logger');
  if (clock !== undefined) checkMethods(clock, ['now'], where, 'a clock');
  if (scheduler !== undefined) checkMethods(scheduler, ['after', 'breathe'], where, 'a scheduler');
  if (topics !== undefined && !(topics instanceof MemoryTopics))
    throw refused(where, 'topics made by new MemoryTopics()');
}

/** @throws RsError `RS_INVALID_ARGUMENT` */
export function checkExecuteOptions(options: ExecuteOptions): void {
  const where = 'executeAsync';
  if (typeof options !== 'object' || options === null)
    throw refused(where, 'a job made by defineJob or an object with options');
  const { signal } = options;
  if (signal !== undefined)
    checkMethods(signal, ['addEventListener', 'removeEventListener'], where, 'an AbortSignal as its signal');
}

export function isJob(value: unknown): value is JobDefinition {
  return typeof (value as Partial<JobDefinition> | null | undefined)?.define === 'function';
}

/** @throws RsError `RS_INVALID_ARGUMENT` */
export function checkJob(job: unknown): void {
  checkMethods(job, ['define'], 'describe', 'a job made by defineJob');
}

function refused(operation: string, needed: string): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `${operation} needs ${needed}`, { details: { operation } });
}
