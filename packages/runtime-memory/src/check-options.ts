import { type JobDefinition, RsError } from '@rs/core';
import type { ExecuteOptions, MemoryEnvironmentOptions } from './options.ts';

/**
 * Refuses what the types refuse, for callers without them. Durations are checked where they are read.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`
 */
export function checkEnvironmentOptions(options: MemoryEnvironmentOptions): void {
  const where = 'getExecutionEnvironment';
  checkObject(options, where);
  checkChoice(options.eager, [true, false], `${where}: eager`);
  checkChoice(options.processingTime, ['records', 'clock'], `${where}: processingTime`);
  checkChoice(options.windowLatenessMode, ['refire', 'postpone'], `${where}: windowLatenessMode`);
  checkMethods(options.logger, ['debug', 'info', 'warn', 'error'], `${where}: logger`);
  checkMethods(options.clock, ['now'], `${where}: clock`);
  checkMethods(options.scheduler, ['after', 'breathe'], `${where}: scheduler`);
}

/** @throws RsError `RS_INVALID_ARGUMENT` */
export function checkExecuteOptions(options: ExecuteOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw refused(
      'the argument of executeAsync',
      'a job made by defineJob or an object with options',
      options,
    );
  }
  checkMethods(options.signal, ['addEventListener', 'removeEventListener'], 'executeAsync: signal');
}

export function isJob(value: unknown): value is JobDefinition {
  return typeof (value as Partial<JobDefinition> | null | undefined)?.define === 'function';
}

/** @throws RsError `RS_INVALID_ARGUMENT` */
export function checkJob(job: JobDefinition): void {
  if (!isJob(job)) throw refused('the job', 'made by defineJob', job);
}

function checkObject(value: unknown, where: string): void {
  if (typeof value !== 'object' || value === null) throw refused(where, 'an object with options', value);
}

function checkChoice(value: unknown, choices: readonly unknown[], what: string): void {
  if (value === undefined || choices.includes(value)) return;
  throw refused(what, choices.map(shown).join(' or '), value);
}

function checkMethods(value: unknown, methods: readonly string[], what: string): void {
  if (value === undefined) return;
  const object = value as Readonly<Record<string, unknown>> | null;
  if (methods.every((name) => typeof object?.[name] === 'function')) return;
  throw refused(what, `an object with ${methods.map((name) => `${name}()`).join(', ')}`, value);
}

function refused(what: string, expected: string, received: unknown): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `${what} must be ${expected}, got ${shown(received)}`, {
    details: { what, received },
  });
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'object' && value !== null) return 'an object that is none';
  return typeof value === 'function' ? 'a function' : String(value);
}
