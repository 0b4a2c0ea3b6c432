import type { MergeableStateDescriptor, StateDescriptor, StateOf, TriggerContext } from '@rs/core';

/** The descriptors under which the states of one part of a composed trigger are declared, by the part's own. */
export type PartStates = ReadonlyMap<StateDescriptor, StateDescriptor>;

/**
 * Gives the states of the part at `position` names of their own: `count` of the second part is declared and stored as
 * `1.count`. Two parts can then use states of one name, or the same descriptor.
 */
export function partStates(states: readonly StateDescriptor[] = [], position: number): PartStates {
  return new Map(
    states.map((state) => [state, Object.freeze({ ...state, name: `${position}.${state.name}` })]),
  );
}

/** What a part of a composed trigger sees: everything of the window, and its own states. */
export class PartContext implements TriggerContext {
  readonly #ctx: TriggerContext;
  readonly #states: PartStates;

  constructor(ctx: TriggerContext, states: PartStates) {
    this.#ctx = ctx;
    this.#states = states;
  }

  get closingTime(): number {
    return this.#ctx.closingTime;
  }

  currentWatermark(): number {
    return this.#ctx.currentWatermark();
  }

  currentProcessingTime(): number {
    return this.#ctx.currentProcessingTime();
  }

  registerEventTimeTimer(timestamp: number): void {
    this.#ctx.registerEventTimeTimer(timestamp);
  }

  registerProcessingTimeTimer(timestamp: number): void {
    this.#ctx.registerProcessingTimeTimer(timestamp);
  }

  deleteEventTimeTimer(timestamp: number): void {
    this.#ctx.deleteEventTimeTimer(timestamp);
  }

  deleteProcessingTimeTimer(timestamp: number): void {
    this.#ctx.deleteProcessingTimeTimer(timestamp);
  }

  state<D extends StateDescriptor>(descriptor: D): StateOf<D> {
    return this.#ctx.state(this.#declared(descriptor));
  }

  mergeState<V>(
    descriptor: MergeableStateDescriptor<V>,
    combine: (a: NonNullable<V>, b: NonNullable<V>) => NonNullable<V>,
  ): void {
    this.#ctx.mergeState(this.#declared(descriptor), combine);
  }

  /** One that the part has not declared is passed on as it is, for the engine to refuse. */
  #declared<D extends StateDescriptor>(descriptor: D): D {
    return (this.#states.get(descriptor) ?? descriptor) as D;
  }
}
