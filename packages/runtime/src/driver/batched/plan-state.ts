import { ownValue } from '@rs/core';
import type { Plan } from '../../graph/plan.ts';
import type { OperatorMeta } from '../../operator/operator.ts';
import type { TaskSnapshot } from './backend.ts';

/** What the operators of a plan keep besides their cells: facts by operator id. */
export type Facts = Readonly<Record<string, OperatorMeta>>;

/** Everything that a task keeps between two batches, and how it goes with the commits. */
export class PlanState {
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** @param earlier what some operators knew at the moment that the facts are about */
  facts(earlier?: ReadonlyMap<object, OperatorMeta>): Facts {
    // Ids may be words such as `__proto__`, which only a new object takes for what they are.
    return Object.fromEntries(
      this.#plan.operators.flatMap(({ id, instance }) => {
        const meta = instance.meta?.();
        return meta === undefined ? [] : [[id, { ...meta, ...earlier?.get(instance) }] as const];
      }),
    );
  }

  /** A new task takes over what was committed; cells and timers are read when they are needed. */
  resume({ operators }: TaskSnapshot): void {
    this.#restore(operators);
  }

  /** What has changed was handed over. */
  collected(): void {
    this.#plan.place.store.collected();
    for (const { instance } of this.#plan.operators) {
      instance.timers?.event.committed();
      instance.timers?.processing.committed();
    }
  }

  /** What was handed over is applied. @param cachedBytes bytes of cells that stay in memory */
  applied(cachedBytes: number): void {
    const { store } = this.#plan.place;
    store.applied();
    store.evict(cachedBytes);
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
      const meta = ownValue(facts, id);
      if (meta !== undefined) instance.restore?.(meta);
    }
  }
}
