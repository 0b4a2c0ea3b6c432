import {
  RsError,
  type StateDescriptor,
  type StateOf,
  type TriggerContext,
  type ValueState,
  type ValueStateDescriptor,
} from '@rs/core';

/** What a trigger sees of one key and one window, with everything in plain sight. Only value states. */
export class FakeTriggerContext implements TriggerContext {
  watermark = -Infinity;
  processingTime = 0;
  readonly closingTime: number;
  readonly eventTimers = new Set<number>();
  readonly processingTimers = new Set<number>();
  /** Stored state values by name. */
  readonly stored = new Map<string, unknown>();
  /** During `onMerge`: the contexts of the absorbed windows. */
  absorbed: readonly FakeTriggerContext[] = [];
  readonly #states: readonly StateDescriptor[] | undefined;

  /** `states`: what the trigger has declared; without them every state is given. */
  constructor(closingTime: number, states?: readonly StateDescriptor[]) {
    this.closingTime = closingTime;
    this.#states = states;
  }

  currentWatermark(): number {
    return this.watermark;
  }

  currentProcessingTime(): number {
    return this.processingTime;
  }

  registerEventTimeTimer(timestamp: number): void {
    this.eventTimers.add(timestamp);
  }

  registerProcessingTimeTimer(timestamp: number): void {
    this.processingTimers.add(timestamp);
  }

  deleteEventTimeTimer(timestamp: number): void {
    this.eventTimers.delete(timestamp);
  }

  deleteProcessingTimeTimer(timestamp: number): void {
    this.processingTimers.delete(timestamp);
  }

  state<D extends StateDescriptor>(descriptor: D): StateOf<D> {
    this.#assertDeclared(descriptor);
    if (descriptor.kind !== 'value') {
      throw new RsError('RS_UNSUPPORTED', `the fake trigger context holds no ${descriptor.kind} states`);
    }
    const { name } = descriptor;
    const state: ValueState<unknown> = {
      value: (): unknown => this.stored.get(name) ?? descriptor.default?.(),
      update: (value) => void this.stored.set(name, value),
      clear: () => void this.stored.delete(name),
    };
    return state as StateOf<D>;
  }

  mergeState<V>(
    descriptor: ValueStateDescriptor<V>,
    combine: (a: NonNullable<V>, b: NonNullable<V>) => NonNullable<V>,
  ): void {
    this.#assertDeclared(descriptor);
    const values = this.absorbed
      .filter((context) => context.stored.has(descriptor.name))
      .map((context) => context.stored.get(descriptor.name) as NonNullable<V>);
    if (values.length > 0)
      this.stored.set(
        descriptor.name,
        values.reduce((a, b) => combine(a, b)),
      );
  }

  /** By identity, as engines do: a copy of a declared descriptor is not declared. */
  #assertDeclared(descriptor: StateDescriptor): void {
    if (this.#states === undefined || this.#states.includes(descriptor)) return;
    throw new RsError('RS_STATE_UNDECLARED', `state '${descriptor.name}' is not declared`);
  }
}
