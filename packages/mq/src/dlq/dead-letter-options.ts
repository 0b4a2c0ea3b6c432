import { checkName, checkObject } from '@rs/core';
import { checkChoice, checkPositiveInteger, refused } from '../checks/checks.ts';
import { checkKnown } from '../checks/known-options.ts';
import { checkSignal } from '../checks/signal.ts';
import type { DeadReason } from '../consumer/lane/settle-batch.ts';
import { type DeadLetterPlace, parseDeadLetterId } from './dead-letter-id.ts';

/** Which dead letters: those for which everything given is true. */
export interface DeadLetterFilter {
  /** Those of one group. Default: of all. */
  readonly group?: string;
  readonly reason?: DeadReason;
  /** Those with this `error.signature`, as `summary` shows it. */
  readonly signature?: string;
  readonly partition?: number;
}

export interface ListDeadLettersOptions extends DeadLetterFilter {
  /** Goes on after the dead letter with this id, which need not exist any more. */
  readonly after?: string;
  /** So many at most. Default: all. */
  readonly limit?: number;
  /** Ends it: the loop throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface SummarizeDeadLettersOptions extends Pick<DeadLetterFilter, 'group' | 'partition'> {
  /** Dead letters that are looked at, at most. Default 100,000. */
  readonly limit?: number;
  /** Ends it early: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReplayDeadLettersOptions extends DeadLetterFilter {
  /** The group that gave them up, and is given them again. */
  readonly group: string;
  /** These, and no filter. */
  readonly ids?: readonly string[];
  /** So many at most. Default: all there are when their partition's turn comes. */
  readonly limit?: number;
  /** So many per second at most, to spare what their handlers use. Default: as fast as it goes. */
  readonly rate?: number;
  /** Ends it early: the promise is rejected with the signal's reason. What was replayed until then stays replayed. */
  readonly signal?: AbortSignal;
}

export interface RemoveDeadLettersOptions extends DeadLetterFilter {
  /** These, and no filter. */
  readonly ids?: readonly string[];
  /** Without ids and filter: `true` removes all dead letters of the topic, of all groups. */
  readonly all?: boolean;
  /** As with `replay`. */
  readonly signal?: AbortSignal;
}

/** Either places that the user named, or all that a filter lets pass. */
export type Selection =
  | { readonly type: 'places'; readonly places: readonly DeadLetterPlace[] }
  | { readonly type: 'filter'; readonly filter: DeadLetterFilter };

export interface ReplayRequest {
  readonly group: string;
  readonly selection: Selection;
  readonly limit: number;
  readonly rate: number | undefined;
  readonly signal: AbortSignal | undefined;
}

const REASONS: readonly DeadReason[] = ['attempts', 'handler', 'policy', 'undecodable', 'crashed'];
const FILTER = ['group', 'reason', 'signature', 'partition'] as const;
const SUMMARY_LIMIT = 100_000;

/** @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME` */
export function listRequest(
  options: ListDeadLettersOptions,
  what: string,
): {
  readonly filter: DeadLetterFilter;
  readonly after: DeadLetterPlace | undefined;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
} {
  checkOptions(options, [...FILTER, 'after', 'limit', 'signal'], what);
  const { after, signal } = options;
  checkSignal(signal, what);
  return {
    signal,
    filter: filterOf(options, what),
    after: after === undefined ? undefined : parseDeadLetterId(after, `${what}: after`),
    limit: limitOf(options.limit, Infinity, what),
  };
}

/** @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME` */
export function summaryRequest(
  options: SummarizeDeadLettersOptions,
  what: string,
): {
  readonly filter: DeadLetterFilter;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
} {
  checkOptions(options, ['group', 'partition', 'limit', 'signal'], what);
  const { signal } = options;
  checkSignal(signal, what);
  return { filter: filterOf(options, what), limit: limitOf(options.limit, SUMMARY_LIMIT, what), signal };
}

/** @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME` */
export function replayRequest(options: ReplayDeadLettersOptions, what: string): ReplayRequest {
  checkOptions(options, [...FILTER, 'ids', 'limit', 'rate', 'signal'], what);
  const { rate, signal } = options;
  const group = checkName(options.group, `${what}: group`);
  if (rate !== undefined && !(typeof rate === 'number' && rate > 0 && Number.isFinite(rate))) {
    throw refused(`${what}: rate`, 'a number of dead letters per second above 0', rate);
  }
  checkSignal(signal, what);
  const limit = limitOf(options.limit, Infinity, what);
  return {
    group,
    selection: selectionOf(options, what, ['reason', 'signature', 'partition']),
    limit,
    rate,
    signal,
  };
}

/** @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME` */
export function removeRequest(
  options: RemoveDeadLettersOptions,
  what: string,
): { readonly selection: Selection; readonly signal: AbortSignal | undefined } {
  checkOptions(options, [...FILTER, 'ids', 'all', 'signal'], what);
  const { all, signal } = options;
  if (all !== undefined) checkChoice(all, [true, false], `${what}: all`);
  checkSignal(signal, what);
  const selection = selectionOf(options, what, FILTER);
  const bounded = selection.type === 'places' || Object.keys(selection.filter).length > 0;
  if (bounded === (all === true)) {
    // What is removed is gone: a filter that was empty by mistake must not empty the topic.
    throw refused(what, 'given ids, or a filter, or all: true, and only one of them', options);
  }
  return { selection, signal };
}

function selectionOf(
  options: DeadLetterFilter & { readonly ids?: readonly string[] },
  what: string,
  filters: readonly (keyof DeadLetterFilter)[],
): Selection {
  const filter = filterOf(options, what);
  const { ids } = options;
  if (ids === undefined) return { type: 'filter', filter };
  const given = filters.find((name) => options[name] !== undefined);
  if (given !== undefined) throw refused(what, `given either ids or a filter such as ${given}`, options);
  if (!Array.isArray(ids)) throw refused(`${what}: ids`, 'an array of ids of dead letters', ids);
  const places = [...new Set(ids)].map((id, at) => parseDeadLetterId(id, `${what}: ids[${at}]`));
  return { type: 'places', places };
}

function filterOf({ group, reason, signature, partition }: DeadLetterFilter, what: string): DeadLetterFilter {
  if (group !== undefined) checkName(group, `${what}: group`);
  if (reason !== undefined) checkChoice(reason, REASONS, `${what}: reason`);
  if (signature !== undefined && typeof signature !== 'string') {
    throw refused(`${what}: signature`, 'a text', signature);
  }
  if (partition !== undefined && !(Number.isSafeInteger(partition) && partition >= 0)) {
    throw refused(`${what}: partition`, 'an integer from 0', partition);
  }
  return {
    ...(group === undefined ? {} : { group }),
    ...(reason === undefined ? {} : { reason }),
    ...(signature === undefined ? {} : { signature }),
    ...(partition === undefined ? {} : { partition }),
  };
}

function checkOptions(options: object, known: readonly string[], what: string): void {
  checkObject(options, `${what}: options`);
  checkKnown(options, known, what);
}

function limitOf(limit: number | undefined, otherwise: number, what: string): number {
  if (limit !== undefined) checkPositiveInteger(limit, `${what}: limit`);
  return limit ?? otherwise;
}
