import { isRsError } from '@rs/core';
import { BatchedDriver, mergesTime } from '@rs/runtime';
import { deadLettersOf } from '../dead-letter/dead-letters-of.ts';
import type { TaskRunnerOptions } from '../job/make-task-runner.ts';
import { slotTag } from '../ownership/slot-tag.ts';
import { StateSizes } from '../state-size/state-sizes.ts';
import { BATCH_LIMITS } from '../store/commit-limits.ts';
import type { LostMessages } from '../store/lost-messages.ts';
import type { PreparedCommit } from '../store/prepare-commit.ts';
import { shardKeyOf } from '../store/shard-key-of.ts';
import { TaskStore } from '../store/task-store.ts';
import { BatchSize } from './batch-size.ts';
import { ExpirySweep } from './expiry-sweep.ts';
import { asRsError } from './failure.ts';
import { InputQueue } from './input-queue.ts';
import { insistently } from './insist.ts';
import { decoderOf } from './log-entry.ts';
import { LogReader } from './log-reader.ts';
import { openMirror } from './open-mirror.ts';
import { RunningTask } from './running-task.ts';
import { serverClock } from './server-clock.ts';
import { Suspicion } from './suspicion.ts';
import { type CommittedFacts, TaskBackend } from './task-backend.ts';
import { type GivenUp, TaskCommits } from './task-commits.ts';
import type { TaskControl } from './task-control.ts';
import type { TaskHost } from './task-host.ts';
import { TaskInput } from './task-input.ts';
import { taskStorage } from './task-storage.ts';
import { TaskWork } from './task-work.ts';
import type { FailureListener } from './task-work-parts.ts';

/** Milliseconds that a batch may keep the process busy, and the least number of them in the time of a lease. */
const MAX_BUSY = 100;
const BATCHES_PER_LEASE = 10;

export interface OpenTaskOptions extends TaskRunnerOptions {
  readonly control: TaskControl;
  readonly onFailure: FailureListener;
  readonly onDead: (dead: GivenUp) => void;
  /** The log has lost messages before they were read. */
  readonly onLost: (lost: LostMessages) => void;
  readonly onCommitted: (commit: CommittedFacts) => void;
  /** The task has the lease for longer. */
  readonly renewed: (deadline: number) => void;
}

/**
 * Puts the parts of a task together and reads what they begin with. Nothing of it has begun to work yet.
 *
 * @throws RsError what Redis throws; the error of a function that cannot be opened; `RS_LOG_ROLLED_BACK`
 */
export async function openTask(host: TaskHost, options: OpenTaskOptions): Promise<RunningTask> {
  const { client, settings, doorbells, ahead, events, outputs: jobOutputs } = host;
  const { place, lease, stage, topology, control, onFailure } = options;
  const { stored } = lease;
  const { timers } = settings;
  const onTrouble = (error: unknown): void => {
    // Once the job has ended or the task is somebody else's, there is nothing that could be tried again.
    if (control.lost === undefined && !isRsError(error, 'RS_CLOSED')) onFailure(asRsError(error, 'Redis'), 1);
  };

  // Of before the call, as the server's time is of before the reply: opening may have been tried several times since.
  const acquiredAt = options.deadline - settings.lease.stored;
  const clock =
    settings.processingTime === 'clock' ? serverClock(timers, lease.now, acquiredAt) : settings.clock;
  const store = new TaskStore({ client, place, token: lease.token });
  const { keys } = store;
  const queue = new InputQueue(stored.count, { offset: stored.offset, ended: stored.ended });
  const insist = insistently(control, onTrouble);
  const sizes = new StateSizes({
    settings: settings.hotKeys,
    hashOf: ({ address }) => shardKeyOf(keys, address),
    measure: async (key) => Number(await client.command({ name: 'HLEN', args: [key] }, { key })),
    now: () => timers.monotonic(),
    logger: settings.logger,
  });
  const outputs = await jobOutputs.forTask({
    place,
    keys,
    stage,
    stored,
    token: lease.token,
    onChange: () => control.notify(),
    onTrouble: onFailure,
    onFatal: (error) => control.fail(error),
  });
  await outputs.open();

  const announces = mergesTime(stage);
  const mirror = openMirror(
    {
      store,
      queue,
      announces,
      timers,
      readUpTo: () => (input.reading ? undefined : reader.position),
      onLost: options.onLost,
      onTrouble,
    },
    stored,
  );
  const busy = Math.min(MAX_BUSY, settings.lease.ttl / BATCHES_PER_LEASE);
  const size = new BatchSize(settings.batch.records, { ...BATCH_LIMITS, busy });
  const backend = new TaskBackend<PreparedCommit>({
    storage: taskStorage({
      store,
      queue,
      size,
      timers,
      lease: settings.lease.stored,
      renewed: options.renewed,
      onRefused: (error) => {
        control.troubled = true;
        onTrouble(error);
      },
    }),
    stored,
    queue,
    sinks: outputs.sinks,
    insist,
    delivered: outputs,
    admit: (commit) => sizes.admit(commit.cells),
    onHandedOver: (commit) => sizes.written(commit.cells),
    onCommitted: (commit, lateRecords) => {
      outputs.committed(commit);
      mirror.committed(commit);
      options.onCommitted(commit);
      if (lateRecords !== undefined) events.late(lateRecords);
    },
  });

  const driver = await BatchedDriver.open({ topology, stage, partition: place.partition }, backend, {
    processingTime: settings.processingTime,
    clock,
    logger: settings.logger,
    scheduler: settings.scheduler,
    random: settings.random,
    overlap: true,
    cachedBytes: settings.cacheBytes,
    attempts: 1,
    maxFires: settings.maxFires,
    timerPage: settings.timerPage,
    schemaMismatch: settings.schemaMismatch,
    stateTtl: settings.stateTtl,
    keepLate: () => events.hearsLate,
    transfer: (value, _to, operator) => outputs.transfer(value, operator),
  });
  const reader = new LogReader({ client, log: keys.log, until: stored.until }, stored.offset);
  const input = new TaskInput({
    reader,
    queue,
    decode: decoderOf(place.topic, place.partition, settings.codecs),
    announces,
    page: settings.batch,
    batches: () => ahead.batches,
    onRead: () => control.notify(),
  });
  const slot = slotTag(place);
  const listener = {
    stream: keys.log,
    ring: () => {
      // While the task is busy it reads anyway.
      doorbells.unwatch(slot, listener);
      input.wake();
      control.notify();
    },
  };
  const commits = new TaskCommits({
    driver,
    backend,
    deadLetters: deadLettersOf({
      key: keys.deadLetters,
      job: place.job,
      group: place.group,
      now: () => clock.now(),
    }),
    where: place,
    onDead: options.onDead,
  });
  const work = new TaskWork({
    driver,
    queue,
    input,
    control,
    commits,
    suspicion: new Suspicion(lease, settings.batch.records),
    deliveries: outputs,
    settings,
    size,
    clock,
    turn: options.turn,
    busyTime: host.busyTime,
    sweep: new ExpirySweep({
      // Their own clock stands still between batches.
      states:
        settings.processingTime === 'clock'
          ? driver.states.map((state) => ({ ...state, now: () => clock.now() }))
          : driver.states,
      stateTtl: settings.stateTtl,
      sweepOf: ({ name, kind }, operator) => store.sweepOf({ operator, state: name, kind }),
      timers,
    }),
    throttle: () => sizes.throttle(),
    listen: () => {
      doorbells.watch(slot, listener, reader.position);
      return () => doorbells.unwatch(slot, listener);
    },
    onFailure,
  });
  return new RunningTask({
    store,
    driver,
    queue,
    outputs,
    work,
    commits,
    mirror,
    patienceWith: (work, ms) => control.patienceWith(work, ms),
    ahead,
    stopListening: () => doorbells.unwatch(slot, listener),
    onTrouble,
  });
}
