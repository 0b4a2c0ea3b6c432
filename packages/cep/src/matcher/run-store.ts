import { type MoveSet, NO_MOVES } from '../program/move-set.ts';
import { StateChanges } from './changes.ts';
import { type Run, type StoredEvent, UNLINKED } from './run.ts';

/**
 * The runs and the events they hold, with their reference counts: a run lives as long as it can go on, a continuation
 * of it lives, or a match of it waits; an event as long as a run refers to it.
 */
export class RunStore {
  nextId = 0;
  runs = 0;
  events = 0;
  #changes: StateChanges | undefined;
  #collectedBelow = 0;

  /** From now on, changes are kept until {@link collected} is called. */
  track(): StateChanges {
    this.#collectedBelow = this.nextId;
    return (this.#changes ??= new StateChanges());
  }

  /** Runs with a lower id were there at the last collection. */
  collected(): void {
    this.#changes?.clear();
    this.#collectedBelow = this.nextId;
  }

  /** One more that needs the run; the first one makes it a part of the state. */
  retain(run: Run): void {
    if (run.id === UNLINKED) this.#link(run);
    run.refs++;
  }

  /** A stored run, under the id it had. */
  restore(run: Run, id: number, isLive: boolean): void {
    this.nextId = id;
    this.#link(run);
    if (isLive) run.refs++;
  }

  /** One less that needs the run. The last one removes it, and what only it needed. */
  release(run: Run): void {
    let gone: Run | undefined = run;
    while (gone !== undefined && --gone.refs === 0) {
      this.runs--;
      this.#changes?.runRemoved(gone, gone.id >= this.#collectedBelow);
      this.#forget(gone.event);
      gone = gone.parent;
    }
  }

  changeMoves(run: Run, moves: MoveSet): void {
    run.moves = moves;
    this.#changes?.runChanged(run);
  }

  markMatched(run: Run): void {
    run.matched = true;
    this.#changes?.runChanged(run);
  }

  /** It cannot go on any more. */
  end(run: Run): void {
    run.moves = NO_MOVES;
    if (run.refs > 1) this.#changes?.runChanged(run);
    this.release(run);
  }

  #link(run: Run): void {
    run.id = this.nextId++;
    this.runs++;
    if (run.parent !== undefined) this.retain(run.parent);
    if (run.event.refs++ === 0) {
      this.events++;
      this.#changes?.eventStored(run.event);
    }
    this.#changes?.runChanged(run);
  }

  #forget(event: StoredEvent): void {
    if (--event.refs > 0) return;
    this.events--;
    this.#changes?.eventRemoved(event);
  }
}
