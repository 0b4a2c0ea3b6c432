import { failureOf, type OutputRecord } from '@rs/runtime';
import type { CommitOp } from '../../store/commit-op.ts';
import type { TaskSink } from '../task-sink.ts';
import type { SlotDeclaration } from './slot-sink.ts';

/** Writes results as part of the commit, into a key of the slot. */
export class SlotTaskSink implements TaskSink {
  readonly #label: string;
  readonly #key: string;
  readonly #declaration: SlotDeclaration;

  constructor(label: string, key: string, declaration: SlotDeclaration) {
    this.#label = label;
    this.#key = key;
    this.#declaration = declaration;
  }

  transfer(value: unknown): unknown {
    try {
      return this.#declaration.encode(value);
    } catch (error) {
      throw failureOf('RS_SINK_FAILED', this.#label, error);
    }
  }

  ops(outputs: readonly OutputRecord[]): readonly CommitOp[] {
    return this.#declaration.ops(
      this.#key,
      outputs.map(({ value }) => value),
    );
  }
}
