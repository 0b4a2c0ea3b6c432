import type { Plan } from '../../graph/plan.ts';
import type { OperatorMeta } from '../../operator/operator.ts';
import { loadTimers } from '../../time/load-timers.ts';
import type { TaskSnapshot } from './backend.ts';

/** What the operators of a plan keep besides their cells: facts by operator id. */
export type Facts = Readonly<Record<string, OperatorMeta>>;

/** Everything that a task keeps between two batches, and how it goes with the commits. */
export class PlanState {
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  facts(): Facts {
    const facts: Record<string, OperatorMeta> = {};
    for (const { id, instance } of this.#plan.operators) {
      const meta = instance.meta?.();
      if (meta !== undefined) facts[id] = meta;
    }
    return facts;
  }

  /** A new task takes over what was committed; cells are read when they are needed. */
  resume({ operators, timers }: TaskSnapshot): void {
    this.#restore(operators);
    for (const { id, instance } of this.#plan.operators) {
      const stored = timers[id];
      if (stored !== undefined) loadTimers(instance, stored);
    }
  }

  /** @param cachedCells cells that stay in memory */
  committed(cachedCells: number): void {
    const { store } = this.#plan.place;
    store.committed();
    for (const { instance } of this.#plan.operators) {
      instance.timers?.event.committed();
      instance.timers?.processing.committed();
    }
    store.evict(cachedCells);
  }

  /** @param facts those of the last commit */
  rollback(facts: Facts): void {
    this.#plan.place.store.rollback();
    for (const { instance } of this.#plan.operators) {
      instance.timers?.event.rollback();
      instance.timers?.processing.rollback();
    }
    this.#restore(facts);
  }

  #restore(facts: Facts): void {
    for (const { id, instance } of this.#plan.operators) {
      const meta = facts[id];
      if (meta !== undefined) instance.restore?.(meta);
    }
  }
}
