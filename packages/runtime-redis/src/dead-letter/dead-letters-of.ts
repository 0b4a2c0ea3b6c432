import { isRsError, RsError } from '@rs/core';
import { reportOf, undecodableReportOf } from '@rs/mq';
import type { RedisArgument } from '@rs/redis';
import type { FailedTimer } from '@rs/runtime';
import type { CommitOp } from '../store/commit-op.ts';
import type { LogEntry } from '../task/log-entry.ts';
import type { DeadLetterMaker } from '../task/task-commits.ts';
import { errorHeaders, withHeaders } from './error-headers.ts';
import { fitting } from './fitting.ts';

export interface DeadLettersOptions {
  /** The stream of the partition's dead letters. */
  readonly key: string;
  readonly job: string;
  /** The group of the job on the topic. */
  readonly group: string;
  /** The server's time, epoch milliseconds. */
  readonly now: () => number;
}

/** What has no message of its own has this id. */
const NO_MESSAGE = '0-0';

/**
 * Makes dead letters of what a task gives up, in the form of those of consumer groups: `mq.deadLetters(topic)` lists them under the
 * job's group. They are written by the commit that moves the task past them.
 */
export function deadLettersOf({ key, job, group, now }: DeadLettersOptions): DeadLetterMaker {
  const deadLetter = (
    { id, fields }: Pick<LogEntry, 'id'> & { readonly fields: readonly RedisArgument[] },
    facts: {
      readonly attempts: number;
      readonly reason: string;
      readonly error: unknown;
      readonly report: string;
    },
  ): CommitOp => {
    const { attempts, reason, error, report } = facts;
    const message = withHeaders(fields, errorHeaders(job, group, error));
    const entry = ['o', id, 'g', group, 'n', attempts, 't', now(), 'r', reason, 'e', report];
    return { type: 'append', key, entries: [[...entry, ...fitting(message, entry.length)]] };
  };
  return {
    ofEntry: (entry, error, attempts) => {
      const reason = isRsError(error, 'RS_RECORD_CRASHES') ? 'crashed' : 'attempts';
      return deadLetter(entry, { attempts, reason, error, report: reportOf(error) });
    },
    ofUnreadable: (entry, error) => {
      const report = error instanceof RsError ? undecodableReportOf(error) : reportOf(error);
      return deadLetter(entry, { attempts: 0, reason: 'undecodable', error, report });
    },
    ofTimer: (timer, error, attempts) =>
      deadLetter(
        { id: NO_MESSAGE, fields: messageOf(timer) },
        { attempts, reason: 'attempts', error, report: reportOf(error) },
      ),
  };
}

/** A timer as a message: its time as the event time, and where it stood as the value. */
function messageOf({ operator, kind, time, key, namespace }: FailedTimer): readonly RedisArgument[] {
  const value = { timer: { operator, kind, time, key, ...(namespace === '' ? {} : { window: namespace }) } };
  return ['m', `1,json,-,${time}`, 'k', '', 'h', '', 'd', JSON.stringify(value)];
}
