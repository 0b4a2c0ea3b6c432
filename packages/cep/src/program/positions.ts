import type { Contiguity } from '../pattern/spec.ts';
import { MoveSet, NO_MOVES } from './move-set.ts';
import type { Element, Group, Sequence, Stage } from './program.ts';

/** One way to go on after a take: to a stage, or to the end of a pattern that a negation closes. */
export interface Move {
  /** Names it in stored state: the position and the number of the move there. */
  readonly key: string;
  /** `undefined`: the end. */
  readonly target: Stage | undefined;
  /** Where the run is after it; `undefined` for the end. */
  readonly to: Position | undefined;
  readonly contiguity: Contiguity;
  /** None of these may hold for the event right after the last take. Behind that event, {@link settled} takes its place. */
  readonly notNext: readonly number[];
  /** None of these may hold for any event up to the take. */
  readonly notFollowedBy: readonly number[];
  /** Greedy stages that it leaves or skips: no event up to the take may be one that they would take. */
  readonly leaves: readonly Stage[];
  /** Condition of `until` that must not hold for any event up to the take; negative for none. */
  readonly until: number;
  /** Has none of the four conditions above. */
  readonly plain: boolean;
  /** The end comes when the time is over, not with the next event. */
  readonly atDeadline: boolean;
  /** What it is once the event behind the last take has come: without `notNext`. `undefined`: as it was. */
  readonly settled: Move | undefined;
}

/** How stored state names what a move with this key has become. */
const SETTLED = '+';

/** Where a run is: the stage taken last, and how often each loop around it has been taken. */
export interface Position {
  readonly key: string;
  readonly stage: Stage;
  /** Whether the take that leads here can be the last one of a match. */
  readonly completes: boolean;
  readonly moves: MoveSet;
}

interface Frame {
  readonly sequence: Sequence;
  readonly index: number;
  /** Takes of the stage or repetitions of the group so far; counts that make no difference are one. */
  readonly count: number;
}

/** What a move passes on its way. */
interface Passed {
  readonly notNext: readonly number[];
  readonly notFollowedBy: readonly number[];
  readonly leaves: readonly Stage[];
}

const NOTHING: Passed = { notNext: [], notFollowedBy: [], leaves: [] };
const NO_CONDITION = -2;

type Exits = Pick<Position, 'moves' | 'completes'>;

/**
 * The positions of a pattern and the moves between them, made when they are first reached: `times(1000)` has a thousand,
 * of which most patterns see few.
 */
export class Positions {
  readonly start: MoveSet;
  readonly #newSet = MoveSet.maker();
  readonly #root: Sequence;
  readonly #known = new Map<string, Position>();

  constructor(root: Sequence) {
    this.#root = root;
    const walk = new Walk('', this.#newSet, (frames, stage) => this.#at(frames, stage));
    walk.advance([], root, 0, 'any', NOTHING);
    this.start = walk.exits().moves;
  }

  /** The move that has this key; `undefined` when the pattern has none. */
  move(key: string): Move | undefined {
    if (key.endsWith(SETTLED)) return this.move(key.slice(0, -SETTLED.length))?.settled;
    const colon = key.indexOf(':');
    const position = this.#find(key.slice(0, Math.max(0, colon)));
    return position?.moves.moves[Number(key.slice(colon + 1))];
  }

  /** The set of these moves: that of a position, if they are the same, so that runs from stored state are looked at together with others. */
  setOf(moves: readonly Move[]): MoveSet {
    const [first] = moves;
    if (first === undefined) return NO_MOVES;
    const position = this.#find(first.key.slice(0, Math.max(0, first.key.indexOf(':'))));
    const own = position?.moves;
    const same = own?.moves.length === moves.length && own.moves.every((move, i) => move === moves[i]);
    return own !== undefined && same ? own : this.#newSet(moves);
  }

  #find(key: string): Position | undefined {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const frames: Frame[] = [];
    let sequence = this.#root;
    let stage: Stage | undefined;
    for (const part of key.split('/')) {
      const [index, count] = part.split('.').map(Number);
      const element = index === undefined ? undefined : sequence[index];
      if (stage !== undefined || index === undefined || element === undefined || !isCount(count, element)) {
        return undefined;
      }
      frames.push({ sequence, index, count });
      if (element.kind === 'group') sequence = element.elements;
      else stage = element;
    }
    return stage === undefined ? undefined : this.#at(frames, stage);
  }

  #at(frames: readonly Frame[], stage: Stage): Position {
    const key = frames.map(({ index, count }) => `${index}.${count}`).join('/');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const position = new LazyPosition(key, stage, () => {
      const walk = new Walk(key, this.#newSet, (to, target) => this.#at(to, target));
      walk.leave(frames, NOTHING);
      return walk.exits();
    });
    this.#known.set(key, position);
    return position;
  }
}

class LazyPosition implements Position {
  readonly key: string;
  readonly stage: Stage;
  readonly #make: () => Exits;
  #exits: Exits | undefined;

  constructor(key: string, stage: Stage, make: () => Exits) {
    this.key = key;
    this.stage = stage;
    this.#make = make;
  }

  get completes(): boolean {
    return (this.#exits ??= this.#make()).completes;
  }

  get moves(): MoveSet {
    return (this.#exits ??= this.#make()).moves;
  }
}

type Way = Omit<Move, 'key' | 'plain' | 'settled'>;

function moveOf(key: string, way: Way): Move {
  const { notNext, notFollowedBy, leaves, until } = way;
  const plain = notNext.length + notFollowedBy.length + leaves.length === 0 && until === NO_CONDITION;
  const settled = notNext.length > 0 ? moveOf(key + SETTLED, { ...way, notNext: [] }) : undefined;
  return { key, ...way, plain, settled };
}

/** Collects what can follow on one position, by walking from its innermost loop outwards. */
class Walk {
  readonly #from: string;
  readonly #newSet: (moves: readonly Move[]) => MoveSet;
  readonly #at: (frames: readonly Frame[], stage: Stage) => Position;
  readonly #moves: Way[] = [];
  #completes = false;

  constructor(
    from: string,
    newSet: (moves: readonly Move[]) => MoveSet,
    at: (frames: readonly Frame[], stage: Stage) => Position,
  ) {
    this.#from = from;
    this.#newSet = newSet;
    this.#at = at;
  }

  exits(): Exits {
    // By stage, so that a run's children come in the order of stages; the end comes last.
    const rank = ({ target }: Way): number => target?.index ?? Infinity;
    const sorted = this.#moves.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
    return {
      moves: this.#newSet(sorted.map((way, index) => moveOf(`${this.#from}:${index}`, way))),
      completes: this.#completes,
    };
  }

  /** A stage was taken, or a repetition of a group is whole: once more, or on to what stands behind it. */
  leave(frames: readonly Frame[], passed: Passed): void {
    const frame = frames[frames.length - 1];
    const element = frame?.sequence[frame.index];
    if (frame === undefined || element === undefined) return;
    const outer = frames.slice(0, -1);
    if (frame.count < element.max) this.#repeat(outer, frame, element, passed);
    if (frame.count < element.min) return;
    const left = element.kind === 'stage' && element.greedy && frame.count < element.max ? [element] : [];
    this.advance(outer, frame.sequence, frame.index + 1, 'any', {
      notNext: [...passed.notNext, ...element.notNext],
      notFollowedBy: [...passed.notFollowedBy, ...element.notFollowedBy],
      leaves: [...passed.leaves, ...left],
    });
  }

  /** Into the elements of a sequence from one on, until one that cannot be absent. */
  advance(
    outer: readonly Frame[],
    sequence: Sequence,
    from: number,
    firstEdge: Contiguity,
    passed: Passed,
  ): void {
    let passing = passed;
    for (let index = from; index < sequence.length; index++) {
      const element = sequence[index];
      if (element === undefined) return;
      const contiguity = index === 0 ? firstEdge : element.edge;
      this.#enter([...outer, { sequence, index, count: 1 }], element, contiguity, passing, NO_CONDITION);
      if (!element.optional) return;
      if (element.kind === 'stage' && element.greedy) {
        passing = { ...passing, leaves: [...passing.leaves, element] };
      }
    }
    if (outer.length > 0) this.leave(outer, passing);
    else this.#end(sequence);
  }

  #repeat(outer: readonly Frame[], frame: Frame, element: Element, passed: Passed): void {
    const again: Frame = { ...frame, count: countAfter(frame.count, element) };
    const passing = { ...passed, notFollowedBy: [...passed.notFollowedBy, ...element.notFollowedBy] };
    const until = element.kind === 'stage' ? element.until : NO_CONDITION;
    this.#enter([...outer, again], element, element.inner, passing, until);
  }

  #enter(
    frames: readonly Frame[],
    element: Element,
    contiguity: Contiguity,
    passed: Passed,
    until: number,
  ): void {
    if (element.kind === 'group') {
      this.advance(frames, element.elements, 0, contiguity, passed);
      return;
    }
    this.#moves.push({
      target: element,
      to: this.#at(frames, element),
      contiguity,
      ...passed,
      until,
      atDeadline: false,
    });
  }

  /** Behind the last element of the pattern: a negation there makes the match wait. */
  #end(sequence: Sequence): void {
    const last = sequence[sequence.length - 1];
    if (last === undefined) return;
    const { notNext, notFollowedBy } = last;
    if (notNext.length + notFollowedBy.length === 0) {
      this.#completes = true;
      return;
    }
    this.#moves.push({
      target: undefined,
      to: undefined,
      contiguity: 'any',
      notNext,
      notFollowedBy,
      leaves: [],
      until: NO_CONDITION,
      atDeadline: notFollowedBy.length > 0,
    });
  }
}

/** Beyond the minimum of a loop without an end, counting makes no difference. */
function countAfter(count: number, element: Stage | Group): number {
  return element.max === Infinity ? Math.min(count + 1, element.min) : count + 1;
}

function isCount(count: number | undefined, element: Element): count is number {
  const most = element.max === Infinity ? element.min : element.max;
  return count !== undefined && Number.isInteger(count) && count >= 1 && count <= most;
}
