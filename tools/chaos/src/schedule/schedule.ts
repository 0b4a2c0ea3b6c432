import { Dice } from '../seed/dice.ts';
import { hash } from '../seed/hash.ts';
import type { Fault, FaultKind, FaultPoint, ScheduledFault, WorkerName } from './fault.ts';

/** What can go wrong in a suite, and with whom. */
export interface Cast {
  /** In the order in which reports list them. */
  readonly kinds: readonly [FaultKind, ...FaultKind[]];
  /** Those that own partitions. */
  readonly workers: readonly [WorkerName, ...WorkerName[]];
  /** Whether faults are aimed at the producer too. */
  readonly producer: boolean;
  /** Calls before and after which a worker may die, and whose replies may be lost; those of `fresh` come in its first moments. */
  readonly points: { readonly anytime: readonly string[]; readonly fresh: readonly string[] };
}

export interface ScheduleOptions {
  readonly seed: number;
  /** Milliseconds in which faults begin. */
  readonly lasts: number;
  readonly lease: number;
  readonly partitions: number;
  readonly cast: Cast;
}

/** Load without faults at the beginning, so that everybody is there. */
const WARM_UP = 1_500;
/** How often a second fault begins with the first. */
const TOGETHER = 0.2;
/** How often one that costs a worker its partitions waits for the faults before it, and lets partitions come back before the next. */
const ALONE = 0.8;

/**
 * The faults of a run, the same for the same options. Kinds come like cards from a shuffled deck: all before any comes again, so that a
 * short run meets many of them.
 */
export function scheduleOf(options: ScheduleOptions): ScheduledFault[] {
  const { seed, lasts } = options;
  const dice = new Dice(hash(seed, 'schedule'));
  const deck: FaultKind[] = [];
  const draw = (): Fault => {
    if (deck.length === 0) deck.push(...dice.shuffled(options.cast.kinds));
    return faultOf(deck.pop() ?? options.cast.kinds[0], dice, options);
  };
  const schedule: ScheduledFault[] = [];
  let over = 0;
  for (let at = WARM_UP; at < lasts;) {
    const fault = draw();
    if (isCostly(fault) && dice.chance(ALONE)) at = Math.max(at, over + 300);
    schedule.push({ at, fault });
    over = Math.max(over, at + lengthOf(fault));
    let rest = restAfter(fault, dice, options.lease);
    if (dice.chance(TOGETHER)) {
      const second = draw();
      const secondAt = at + dice.integer(0, 400);
      schedule.push({ at: secondAt, fault: second });
      over = Math.max(over, secondAt + lengthOf(second));
      rest = Math.max(rest, restAfter(second, dice, options.lease));
    }
    at += rest;
  }
  return schedule.filter(({ at }) => at < lasts);
}

const COSTLY: ReadonlySet<FaultKind> = new Set([
  ...(['killConsumer', 'killWorker', 'dieAt', 'freeze'] as const),
  ...(['stopConsumer', 'stopWorker', 'crashServer'] as const),
]);

/** It costs a worker its partitions. */
function isCostly({ kind }: Fault): boolean {
  return COSTLY.has(kind);
}

/** Milliseconds until it is over, as far as that is planned. */
function lengthOf(fault: Fault): number {
  if ('lasts' in fault) return fault.lasts;
  return 'restartAfter' in fault ? fault.restartAfter : 0;
}

/**
 * Milliseconds until the next fault: after one that costs a worker its partitions mostly long enough to see them come back, else the
 * next one may come into the middle of it.
 */
function restAfter(fault: Fault, dice: Dice, lease: number): number {
  const rests = isCostly(fault) && dice.chance(ALONE);
  return rests ? lease + dice.integer(1_200, 2_000) : dice.integer(400, 1_600);
}

function faultOf(kind: FaultKind, dice: Dice, options: ScheduleOptions): Fault {
  const { lease, partitions, cast } = options;
  const worker = (): WorkerName => dice.pick(cast.workers);
  const anyone = (): WorkerName => (cast.producer && dice.chance(0.25) ? 'producer' : worker());
  switch (kind) {
    case 'killConsumer':
    case 'stopConsumer':
    case 'killWorker':
    case 'stopWorker':
      return { kind, worker: worker(), restartAfter: dice.integer(100, 1_500) };
    case 'dieAt': {
      const fresh = dice.chance(0.4);
      return {
        ...{ kind, worker: worker(), fresh, restartAfter: dice.integer(100, 1_500) },
        point: pointOf(fresh ? cast.points.fresh : cast.points.anytime, dice),
      };
    }
    case 'loseReplyOf':
      return { kind, worker: worker(), point: { ...pointOf(cast.points.anytime, dice), when: 'after' } };
    case 'killProducer':
      return { kind, worker: 'producer', restartAfter: dice.integer(50, 500) };
    case 'freeze':
      return { kind, worker: worker(), lasts: Math.round(lease * (1.3 + dice.next() * 1.2)) };
    case 'nap':
      return { kind, worker: worker(), lasts: Math.round(lease * (0.2 + dice.next() * 0.3)) };
    case 'crashServer':
      return { kind, down: dice.integer(50, 800) };
    case 'pauseServer':
      return { kind, lasts: dice.integer(200, 3_000) };
    case 'destroyGroup':
      return { kind, partition: dice.integer(0, partitions - 1) };
    case 'delay':
      return { kind, worker: anyone(), millis: dice.integer(20, 250), lasts: dice.integer(500, 2_500) };
    case 'loseReplies':
      // What a producer is not told was written, it must not write again: only here that shows.
      return {
        kind,
        worker: cast.producer && dice.chance(0.5) ? 'producer' : worker(),
        times: dice.integer(1, 5),
      };
    case 'halfClose':
      return { kind, worker: anyone() };
    case 'swallow':
      return {
        kind,
        worker: anyone(),
        what: dice.pick(['requests', 'replies', 'everything']),
        lasts: dice.integer(300, 4_500),
      };
    case 'killClients':
    case 'restartServer':
    case 'flushScripts':
      return { kind };
  }
}

function pointOf(calls: readonly string[], dice: Dice): FaultPoint {
  return {
    call: calls[dice.integer(0, calls.length - 1)] ?? 'commit-task',
    when: dice.chance(0.5) ? 'before' : 'after',
    nth: dice.integer(1, 5),
  };
}
