import type { LatenessMode, Trigger, WindowAssigner } from '@rs/core';
import type { StateStore } from '../../state/store.ts';
import type { AnyReceiver } from '../receiver.ts';

/** What window operators are made from. */
export interface WindowSpec<T> {
  readonly store: StateStore;
  readonly operatorId: string;
  readonly assigner: WindowAssigner<T>;
  readonly trigger: Trigger<T>;
  /** Milliseconds. */
  readonly lateness: number;
  readonly latenessMode: LatenessMode;
  /** Where late records go; `undefined`: they are only counted. */
  readonly lateOutput: AnyReceiver | undefined;
  /** What a late record is for users; `undefined`: the element as it is. */
  readonly lateValue: ((element: T) => unknown) | undefined;
}
