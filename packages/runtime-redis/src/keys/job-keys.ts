import { checkName } from '@rs/core';
import { checkPrefix } from '@rs/redis';

/**
 * The keys of a job as a whole. All have one hash tag. A topic whose name begins with `job.` may share it; the rest of their keys differs.
 *
 * @throws RsError `RS_INVALID_NAME`
 */
export class JobKeys {
  /** HASH: the processes that are there, with the time up to which each counts as alive and what it says of itself. */
  readonly members: string;
  /** HASH: what the job is made of, and where its bounded sources end. */
  readonly manifest: string;
  /** HASH: tasks that have ended. */
  readonly ended: string;

  constructor({ prefix, job }: { readonly prefix: string; readonly job: string }) {
    const root = `${checkPrefix(prefix)}:{job.${checkName(job, 'a job')}}`;
    this.members = `${root}:members`;
    this.manifest = `${root}:manifest`;
    this.ended = `${root}:ended`;
  }
}
