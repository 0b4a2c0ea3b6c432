import { Dice } from '../seed/dice.ts';
import { hash } from '../seed/hash.ts';
import { FAULT_KINDS, type Fault, type FaultKind, type ScheduledFault, type WorkerName } from './fault.ts';

export interface ScheduleOptions {
  readonly seed: number;
  /** Milliseconds in which faults begin. */
  readonly lasts: number;
  readonly lease: number;
  readonly partitions: number;
  readonly consumers: number;
}

/** Load without faults at the beginning, so that everybody is there. */
const WARM_UP = 1_500;
/** How often a second fault begins with the first. */
const TOGETHER = 0.2;
/** How often one that costs a consumer its partitions waits for the faults before it, and lets partitions come back before the next. */
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
    if (deck.length === 0) deck.push(...dice.shuffled<FaultKind>(FAULT_KINDS));
    return faultOf(deck.pop() ?? 'flushScripts', dice, options);
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

/** It costs a consumer its partitions. */
function isCostly({ kind }: Fault): boolean {
  return kind === 'killConsumer' || kind === 'freeze' || kind === 'stopConsumer' || kind === 'crashServer';
}

/** Milliseconds until it is over, as far as that is planned. */
function lengthOf(fault: Fault): number {
  if ('lasts' in fault) return fault.lasts;
  return 'restartAfter' in fault ? fault.restartAfter : 0;
}

/**
 * Milliseconds until the next fault: after one that costs a consumer its partitions mostly long enough to see them come back, else the
 * next one may come into the middle of it.
 */
function restAfter(fault: Fault, dice: Dice, lease: number): number {
  const rests = isCostly(fault) && dice.chance(ALONE);
  return rests ? lease + dice.integer(1_200, 2_000) : dice.integer(400, 1_600);
}

function faultOf(kind: FaultKind, dice: Dice, options: ScheduleOptions): Fault {
  const { lease, partitions, consumers } = options;
  const consumer = (): WorkerName => `consumer-${dice.integer(0, consumers - 1)}`;
  const anyone = (): WorkerName => (dice.chance(0.25) ? 'producer' : consumer());
  switch (kind) {
    case 'killConsumer':
    case 'stopConsumer':
      return { kind, worker: consumer(), restartAfter: dice.integer(100, 1_500) };
    case 'killProducer':
      return { kind, worker: 'producer', restartAfter: dice.integer(50, 500) };
    case 'freeze':
      return { kind, worker: consumer(), lasts: Math.round(lease * (1.3 + dice.next() * 1.2)) };
    case 'nap':
      return { kind, worker: consumer(), lasts: Math.round(lease * (0.2 + dice.next() * 0.3)) };
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
        worker: dice.chance(0.5) ? 'producer' : consumer(),
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
