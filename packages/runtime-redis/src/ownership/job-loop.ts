import { isRsError, ownValue, RsError } from '@rs/core';
import { assign, type Timers, Waiter } from '@rs/mq';
import type { JobMeeting, JobMember, Meeting, StoredManifest } from './job-meeting.ts';
import type { MemberFacts, Shares } from './member-facts.ts';
import type { OwnershipEvents } from './ownership-events.ts';
import type { StageTasks } from './stage-tasks.ts';

export interface JobLoopOptions {
  readonly job: string;
  readonly meeting: Pick<JobMeeting, 'attend' | 'join' | 'leave'>;
  readonly manifest: StoredManifest;
  /** Where bounded sources end, as it is written down. */
  readonly ends: string;
  readonly member: string;
  readonly stages: readonly StageTasks[];
  /** Partitions of a topic that this process owns at most. */
  readonly maxPartitions: number;
  /** Milliseconds between two looks at who else is there. */
  readonly heartbeat: number;
  readonly timers: Timers;
  readonly random: () => number;
  readonly events: OwnershipEvents;
  /** The tasks of the whole job have ended. */
  readonly onFinished: () => void;
  /** This process can be no member any more. */
  readonly onExpelled: (error: RsError) => void;
  /** Something about who owns what has changed. */
  readonly onChange: () => void;
}

/** How soon members look at each other again while a partition has no owner. */
const UNSETTLED = 50;
/** Expiries are looked at a little later than they are due, so that the first look finds them. */
const AFTER_EXPIRY = 10;
const MAX_TROUBLE_DELAY = 5_000;

/**
 * One process's part of a job: meets the others, and owns its fair share of the partitions of each stage.
 *
 * Invariant: the loop ends only with `stop`, when the job has finished, or when it is another one by now; an error is told and the next round
 * comes all the same.
 */
export class JobLoop {
  readonly #options: JobLoopOptions;
  readonly #waiter = new Waiter();
  /** Tasks that have ended here and of which the others may not know yet. */
  readonly #untold = new Set<string>();
  #members: readonly JobMember[] = [];
  /** Partitions that no member owned at the last meeting, by task. */
  #unowned: Shares | undefined;
  #trouble: unknown;
  #stopped = false;
  #running: Promise<void> | undefined;

  constructor(options: JobLoopOptions) {
    this.#options = options;
  }

  get members(): readonly JobMember[] {
    return this.#members;
  }

  /** Partitions that nobody owns as far as is known, by task; `undefined` before the first meeting. */
  get unowned(): Shares | undefined {
    return this.#unowned;
  }

  /** Why the others could not be met the last time; `undefined` when they were. */
  get trouble(): unknown {
    return this.#trouble;
  }

  get finished(): boolean {
    return this.#options.stages.every(({ finished }) => finished);
  }

  /** Fulfilled when this process has asked for its tasks once; then the loop runs. @throws what the first meeting throws */
  async begin(): Promise<void> {
    const delay = await this.#round();
    this.#running = this.#run(delay);
  }

  /** It is worth looking before the next round is due. */
  notify(): void {
    this.#waiter.notify();
  }

  /** A task has ended in this process; the others shall know. */
  noteEnded(task: string, partition: number): void {
    this.#untold.add(`${task}:${partition}`);
    this.notify();
  }

  /** Ends the loop; tasks go on. Fulfilled when no round is under way. Never rejected. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.notify();
    await this.#running;
  }

  /** After `stop`: tells the others that this process is gone. */
  async leave(): Promise<void> {
    await this.#options.meeting.leave(this.#options.manifest.hash, [...this.#untold]);
    this.#untold.clear();
  }

  /** Never rejected. */
  async #run(firstDelay: number): Promise<void> {
    const { timers, events, heartbeat, random } = this.#options;
    let delay = firstDelay;
    while (!this.#stopped) {
      const cancel = timers.after(delay, () => this.notify());
      await this.#waiter.wait();
      cancel();
      if (this.#stopped) return;
      try {
        delay = await this.#round();
      } catch (error) {
        if (isRsError(error, 'RS_CLOSED')) return;
        this.#trouble = error;
        events.meetingFailed(error);
        delay = Math.min(MAX_TROUBLE_DELAY, heartbeat) * (0.5 + random() / 2);
      }
    }
  }

  /** Milliseconds until the next round. */
  async #round(): Promise<number> {
    const { meeting, manifest, ends, stages } = this.#options;
    const told = [...this.#untold];
    const known = stages.reduce((sum, { ended }) => sum + ended.size, 0);
    const reply = await meeting.attend(this.#facts(), manifest.hash, known, told);
    for (const each of told) this.#untold.delete(each);
    this.#trouble = undefined;
    if (this.#stopped) return 0;
    if (reply.type === 'met') return this.#follow(reply);
    // Whoever comes first writes it down again: it is what all members work by.
    const joined = reply.type === 'lost' ? await meeting.join(manifest, '', ends) : undefined;
    if (joined?.type === 'joined') return UNSETTLED;
    this.#stopped = true;
    this.#options.onExpelled(changedUnderneath(this.#options.job));
    return 0;
  }

  #facts(): MemberFacts {
    const { stages, maxPartitions } = this.#options;
    const shares = (of: (stage: StageTasks) => readonly number[]): Shares =>
      Object.fromEntries(stages.map((stage) => [stage.plan.task, of(stage)]));
    return {
      owned: shares(({ owned }) => owned),
      unable: shares(({ unable }) => unable),
      ...(maxPartitions === Infinity ? {} : { max: maxPartitions }),
    };
  }

  /** Gives up what is others', asks for what is its own. */
  async #follow({ members, firstExpiry, ended }: Meeting): Promise<number> {
    const { stages, heartbeat } = this.#options;
    this.#members = members;
    if (ended !== undefined) for (const each of ended) noteIn(stages, each);
    if (this.finished) {
      this.#unowned = {};
      this.#stopped = true;
      this.#options.onFinished();
      return 0;
    }
    const shares = await Promise.all(stages.map((stage) => this.#followStage(stage)));
    this.#unowned = Object.fromEntries(shares.map(({ task, unowned }) => [task, unowned]));
    this.#options.onChange();
    // What members say is as old as their last look. While a partition has nobody's name on it, they may have come to different
    // results, and nobody want it: until it has, they look often.
    const settled = shares.every((share) => share.settled);
    const able = Math.min(...stages.map(({ ableIn }) => ableIn));
    return Math.min(
      settled ? heartbeat : UNSETTLED,
      (firstExpiry ?? Infinity) + AFTER_EXPIRY,
      able + AFTER_EXPIRY,
    );
  }

  async #followStage(stage: StageTasks): Promise<StageShares> {
    const { task, partitions } = stage.plan;
    const members = this.#members.map(({ id, owned, unable, max }) => ({
      id,
      owned: ownValue(owned, task) ?? [],
      unable: [...(ownValue(unable, task) ?? []), ...stage.ended],
      ...(max === undefined ? {} : { max }),
    }));
    const assigned = assign({ partitions, members, salt: task });
    await stage.follow(new Set(assigned.get(this.#options.member)));
    const owned = new Set([...stage.ended, ...stage.owned, ...members.flatMap((member) => member.owned)]);
    const all = Array.from({ length: partitions }, (_, at) => at);
    return {
      task,
      settled: [...assigned.values()].flat().every((partition) => owned.has(partition)),
      unowned: all.filter((partition) => !owned.has(partition)),
    };
  }
}

interface StageShares {
  readonly task: string;
  /** Whether each partition that somebody shall have has the name of an owner on it. */
  readonly settled: boolean;
  readonly unowned: readonly number[];
}

function noteIn(stages: readonly StageTasks[], ended: string): void {
  const at = ended.lastIndexOf(':');
  const task = ended.slice(0, at);
  for (const stage of stages) if (stage.plan.task === task) stage.noteEnded(Number(ended.slice(at + 1)));
}

function changedUnderneath(job: string): RsError {
  return new RsError(
    'RS_MANIFEST_MISMATCH',
    `job '${job}' was started with another definition while this process was out of touch; start it again with that one`,
    { details: { job, reason: 'changed' } },
  );
}
