import type { Edge, Plan, PlanCondition, PlanElement, PlanEvent, PlanStage } from './plan.ts';
import { ENDLESS, meets } from './plan.ts';

/**
 * The definition of a match as a slow search, written from `docs/decisions/017-pattern-semantics.md` and without the
 * matcher: all ways through the pattern, with all the input's events, by backtracking. Which chains are live, wait or are
 * over at some point is asked of each chain anew, by looking at all events behind its last take.
 */

type Contiguity = 'strict' | 'relaxed' | 'any';

/** What must hold between a take and the next one. */
interface Link {
  readonly contiguity: Contiguity;
  readonly notNext: readonly PlanCondition[];
  readonly notFollowedBy: readonly PlanCondition[];
  readonly leaves: readonly PlanStage[];
  /** The condition that ends the loop, between two of its takes. */
  readonly until: PlanCondition | undefined;
}

/** What has been taken, and what was passed in the pattern since. */
interface Way {
  readonly takes: Chain['takes'];
  readonly notNext: readonly PlanCondition[];
  readonly notFollowedBy: readonly PlanCondition[];
  readonly leaves: readonly PlanStage[];
}

type Go = (way: Way) => void;

const START: Way = { takes: [], notNext: [], notFollowedBy: [], leaves: [] };
const CONTIGUITY: Readonly<Record<Edge, Contiguity>> = {
  next: 'strict',
  followedBy: 'relaxed',
  followedByAny: 'any',
};
const INNER = { relaxed: 'relaxed', consecutive: 'strict', combinations: 'any' } as const;

function conditions(element: PlanElement, kind: 'notNext' | 'notFollowedBy'): PlanCondition[] {
  return element.negations.filter((negation) => negation.kind === kind).map(({ condition }) => condition);
}

/** A take: the stage's name and the event's position. */
interface Chain {
  readonly takes: readonly (readonly [stage: PlanStage, position: number])[];
  /** Links to what may follow, from all words that begin like this. */
  readonly links: Map<string, readonly [PlanStage, Link]>;
  whole: boolean;
}

interface Found {
  readonly chain: Chain;
  readonly at: number;
}

export interface Outcome {
  /** `a:0 b:2` for each match, after the step in which it came: one step per event, and one for the end of input. */
  readonly steps: string[][];
  /** What was reported as timed out, with the time. */
  readonly timedOut: string[];
}

/** What a matcher must find in events at these times, when after the last one time comes to `end`. */
export function expected(
  plan: Plan,
  events: readonly PlanEvent[],
  times: readonly number[],
  end: number,
): Outcome {
  return new Oracle(plan, events, times).run(end);
}

class Oracle {
  readonly #plan: Plan;
  readonly #events: readonly PlanEvent[];
  readonly #times: readonly number[];
  readonly #chains = new Map<string, Chain>();
  readonly #trailing: { notNext: readonly PlanCondition[]; notFollowedBy: readonly PlanCondition[] };
  readonly #inOrder: readonly Chain[];
  /** Positions of first events with which nothing goes on. */
  readonly #dead = new Set<number>();
  readonly #matched = new Set<Chain>();
  readonly #queue: (Found & { readonly order: number })[] = [];
  #completed = 0;
  readonly #timedOut: string[] = [];
  /** Deadlines up to here are dealt with. */
  #expired = -Infinity;

  constructor(plan: Plan, events: readonly PlanEvent[], times: readonly number[]) {
    this.#plan = plan;
    this.#events = events;
    this.#times = times;
    const last = plan.elements.at(-1);
    this.#trailing = {
      notNext: last === undefined ? [] : conditions(last, 'notNext'),
      notFollowedBy: last === undefined ? [] : conditions(last, 'notFollowedBy'),
    };
    this.#sequence(plan.elements, 0, 'any', START, ({ takes }) => {
      const chain = this.#chains.get(shownTakes(takes));
      if (chain !== undefined) chain.whole = true;
    });
    this.#inOrder = inOrder([...this.#chains.values()], stageNames(plan.elements));
  }

  run(end: number): Outcome {
    const steps: string[][] = [];
    for (let n = 0; n < this.#events.length; n++) {
      const out: string[] = [];
      this.#expire(this.#times[n] ?? 0, n, out);
      for (const chain of this.#inOrder)
        if (this.#certainAt(chain, n)) this.#complete(chain, this.#times[n] ?? 0);
      this.#release(n + 1, out);
      steps.push(out);
    }
    const out: string[] = [];
    this.#expire(end, this.#events.length, out);
    if (end === Infinity) {
      this.#expired = Infinity;
      this.#release(this.#events.length, out);
    }
    steps.push(out);
    return { steps, timedOut: this.#timedOut };
  }

  /** All ways through the elements from `index` on; the first one stands where `edge` leads. */
  #sequence(elements: readonly PlanElement[], index: number, edge: Contiguity, way: Way, go: Go): void {
    const element = elements[index];
    if (element === undefined) {
      go(way);
      return;
    }
    const rest: Go = (onward) => this.#sequence(elements, index + 1, edge, onward, go);
    if (element.optional) {
      const skipped = 'name' in element && element.greedy ? [element] : [];
      rest({ ...way, leaves: [...way.leaves, ...skipped] });
    }
    this.#repeat(element, 1, index === 0 ? edge : CONTIGUITY[element.edge], undefined, way, rest);
  }

  /** The element for the `count`th time, then on to the next one, or once more. */
  #repeat(
    element: PlanElement,
    count: number,
    edge: Contiguity,
    until: PlanCondition | undefined,
    way: Way,
    go: Go,
  ): void {
    const more = element.max === ENDLESS || count < element.max;
    const after: Go = (taken) => {
      const notFollowedBy = [...taken.notFollowedBy, ...conditions(element, 'notFollowedBy')];
      if (more) {
        const again = 'name' in element ? element.until : undefined;
        this.#repeat(element, count + 1, INNER[element.inner], again, { ...taken, notFollowedBy }, go);
      }
      if (count < element.min) return;
      const left = 'name' in element && element.greedy && more ? [element] : [];
      const notNext = [...taken.notNext, ...conditions(element, 'notNext')];
      go({ takes: taken.takes, notNext, notFollowedBy, leaves: [...taken.leaves, ...left] });
    };
    if ('name' in element) this.#take(element, edge, until, way, after);
    else this.#sequence(element.elements, 0, edge, way, after);
  }

  /** One take of a stage, by each event that may be it. */
  #take(stage: PlanStage, contiguity: Contiguity, until: PlanCondition | undefined, way: Way, go: Go): void {
    const { takes, ...passed } = way;
    const link: Link = { contiguity, ...passed, until };
    this.#chains.get(shownTakes(takes))?.links.set(JSON.stringify([stage.name, link]), [stage, link]);
    for (let j = (takes.at(-1)?.[1] ?? -1) + 1; j < this.#events.length; j++) {
      if (!this.#mayTake(stage, link, takes, j)) continue;
      const longer = [...takes, [stage, j] as const];
      const key = shownTakes(longer);
      if (!this.#chains.has(key)) this.#chains.set(key, { takes: longer, links: new Map(), whole: false });
      go({ ...START, takes: longer });
    }
  }

  /** Whether the event at `j` may be the next take of a chain, as this stage. */
  #mayTake(stage: PlanStage, link: Link, takes: Chain['takes'], j: number): boolean {
    if (!this.#takes(stage, j, takes)) return false;
    if (takes.length === 0) return !link.leaves.some((greedy) => this.#takes(greedy, j, takes));
    return (
      this.#open(stage, link, takes, j - 1) && this.#linkAllows(link, takes, j) && this.#inTime(takes, j)
    );
  }

  /** Whether the events behind the last take, up to `n`, still leave the way to the stage open. */
  #open(stage: PlanStage, link: Link, takes: Chain['takes'], n: number): boolean {
    const i = takes.at(-1)?.[1] ?? 0;
    for (let position = i + 1; position <= n; position++) {
      if (link.contiguity === 'strict') return false;
      if (link.contiguity === 'relaxed' && this.#holds(stage.condition, position, takes)) return false;
      if (!this.#linkAllows(link, takes, position)) return false;
    }
    return true;
  }

  /** What no event behind the last take may be, up to the next one and including it. */
  #linkAllows(
    { notNext, notFollowedBy, leaves, until }: Omit<Link, 'contiguity'>,
    takes: Chain['takes'],
    position: number,
  ): boolean {
    const i = takes.at(-1)?.[1] ?? 0;
    const holds = (condition: PlanCondition) => this.#holds(condition, position, takes);
    if (position === i + 1 && notNext.some(holds)) return false;
    if (notFollowedBy.some(holds)) return false;
    if (leaves.some((greedy) => this.#takes(greedy, position, takes))) return false;
    return until === undefined || !holds(until);
  }

  /** Whether an event is one that the stage takes, whatever lies before it. */
  #takes({ condition, until }: PlanStage, position: number, takes: Chain['takes']): boolean {
    return (
      this.#holds(condition, position, takes) && (until === undefined || !this.#holds(until, position, takes))
    );
  }

  #holds(condition: PlanCondition, position: number, takes: Chain['takes']): boolean {
    const event = this.#events[position];
    const last = takes.at(-1);
    return (
      event !== undefined && meets(condition, event, last === undefined ? undefined : this.#events[last[1]])
    );
  }

  #inTime(takes: Chain['takes'], j: number): boolean {
    return (this.#times[j] ?? 0) < this.#deadline(takes);
  }

  #deadline(takes: Chain['takes']): number {
    const { within } = this.#plan;
    if (within === undefined) return Infinity;
    const from = within.scope === 'first-to-last' ? takes[0] : takes.at(-1);
    return (this.#times[from?.[1] ?? 0] ?? 0) + within.millis;
  }

  /** Whether the chain becomes a match with the event at `n`, and not by time. */
  #certainAt(chain: Chain, n: number): boolean {
    if (!chain.whole || this.#isDead(chain) || this.#trailing.notFollowedBy.length > 0) return false;
    const last = lastPosition(chain);
    if (this.#trailing.notNext.length === 0) return last === n;
    if (last !== n - 1 || this.#deadline(chain.takes) <= (this.#times[n] ?? 0)) return false;
    return !this.#trailing.notNext.some((condition) => this.#holds(condition, n, chain.takes));
  }

  /** Whether only time is missing, after the events before `n`. */
  #waitsForTime(chain: Chain, n: number): boolean {
    const { notNext, notFollowedBy } = this.#trailing;
    if (!chain.whole || notFollowedBy.length === 0) return false;
    for (let position = lastPosition(chain) + 1; position < n; position++) {
      if (
        !this.#linkAllows({ notNext, notFollowedBy, leaves: [], until: undefined }, chain.takes, position)
      ) {
        return false;
      }
    }
    return true;
  }

  /** Whether the chain can go on after the events before `n`. */
  #isLive(chain: Chain, n: number): boolean {
    if (lastPosition(chain) >= n || this.#isDead(chain) || this.#deadline(chain.takes) <= this.#expired)
      return false;
    if (this.#waitsForTime(chain, n)) return true;
    if (chain.whole && this.#trailing.notFollowedBy.length === 0 && this.#trailing.notNext.length > 0) {
      if (lastPosition(chain) === n - 1) return true;
    }
    return [...chain.links.values()].some(([stage, link]) => this.#open(stage, link, chain.takes, n - 1));
  }

  #isDead(chain: Chain): boolean {
    return this.#dead.has(firstPosition(chain));
  }

  /** What is over at `time`, one deadline after the other, after the events before `n`. */
  #expire(time: number, n: number, out: string[]): void {
    for (;;) {
      const live = this.#inOrder.filter((chain) => this.#isLive(chain, n));
      const deadline = Math.min(...live.map((chain) => this.#deadline(chain.takes)));
      if (!(deadline <= time) || deadline === Infinity) return;
      for (const chain of live.filter(({ takes }) => this.#deadline(takes) === deadline)) {
        if (this.#waitsForTime(chain, n)) this.#complete(chain, deadline);
        else if (!this.#matched.has(chain)) this.#timedOut.push(`${shownTakes(chain.takes)} @${deadline}`);
      }
      this.#expired = deadline;
      this.#release(n, out);
    }
  }

  #complete(chain: Chain, at: number): void {
    this.#matched.add(chain);
    this.#queue.push({ chain, at, order: this.#completed++ });
  }

  /** Lets go of matches, and of what they skip; without a strategy that skips, of all at once. */
  #release(n: number, out: string[]): void {
    const { skip } = this.#plan;
    if (skip === 'noSkip') {
      for (const { chain, at } of this.#queue.splice(0)) out.push(`${shownTakes(chain.takes)} @${at}`);
      return;
    }
    for (;;) {
      const waiting = this.#queue.filter(({ chain }) => !this.#isDead(chain));
      waiting.sort((a, b) => firstPosition(a.chain) - firstPosition(b.chain) || a.order - b.order);
      const first = waiting[0];
      if (first === undefined) return;
      const begin = firstPosition(first.chain);
      if ([...this.#chains.values()].some((chain) => firstPosition(chain) < begin && this.#isLive(chain, n)))
        return;
      out.push(`${shownTakes(first.chain.takes)} @${first.at}`);
      this.#queue.splice(this.#queue.indexOf(first), 1);
      const through = this.#skipsThrough(first.chain);
      for (let position = 0; position <= through; position++) {
        if (skip !== 'skipToNext' || position === begin) this.#dead.add(position);
      }
    }
  }

  #skipsThrough(chain: Chain): number {
    const { skip } = this.#plan;
    if (skip === 'skipToNext') return firstPosition(chain);
    if (skip === 'skipPastLastEvent') return lastPosition(chain);
    if (skip === 'noSkip') return -1;
    const bound = chain.takes.filter(([{ name }]) => name === skip.stage);
    const take = skip.to === 'first' ? bound[0] : bound.at(-1);
    return take === undefined ? -1 : take[1] - 1;
  }
}

/** By positions, the longer first where one is the beginning of the other; then by the order of stages. */
function inOrder(chains: readonly Chain[], names: readonly string[]): Chain[] {
  const vectors = chains.map((chain) => ({
    chain,
    positions: [...chain.takes.map(([, position]) => position), Infinity],
    stages: chain.takes.map(([stage]) => names.indexOf(stage.name)),
  }));
  vectors.sort((a, b) => compare(a.positions, b.positions) || compare(a.stages, b.stages));
  return vectors.map(({ chain }) => chain);
}

/** By the first number that differs, as far as both have some. */
function compare(a: readonly number[], b: readonly number[]): number {
  for (let k = 0; k < Math.min(a.length, b.length); k++) {
    if (a[k] !== b[k]) return (a[k] ?? 0) - (b[k] ?? 0);
  }
  return 0;
}

function stageNames(elements: readonly PlanElement[]): string[] {
  return elements.flatMap((element) => ('name' in element ? [element.name] : stageNames(element.elements)));
}

function shownTakes(takes: Chain['takes']): string {
  return takes.map(([stage, position]) => `${stage.name}:${position}`).join(' ');
}

function firstPosition(chain: Chain): number {
  return chain.takes[0]?.[1] ?? 0;
}

function lastPosition(chain: Chain): number {
  return chain.takes.at(-1)?.[1] ?? 0;
}
