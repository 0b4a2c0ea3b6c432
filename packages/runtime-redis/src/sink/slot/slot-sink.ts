import { checkName, checkObject, RsError, type StreamSink } from '@rs/core';
import { checkKnown } from '@rs/mq';
import type { CommitOp } from '../../store/commit-op.ts';

/**
 * A sink whose writes are part of the commit that makes the results: each counts exactly once, and is there when the commit is. What it
 * keeps lies beside the partition of the topic that its records came from, under a key of its own for each.
 */
export interface SlotSink<T> extends StreamSink<T> {
  /** Unique in the job. */
  readonly name: string;
  readonly declaration: SlotDeclaration;
}

/** What an engine does for a sink in the slot. */
export interface SlotDeclaration {
  /** What kind of key it writes. */
  readonly type: 'hash' | 'zset' | 'stream';
  /** What is written of a value. Called when it is emitted. @throws what functions of the user throw; RsError `RS_INVALID_VALUE` */
  encode(value: unknown): unknown;
  /** The writes for the values of one commit, as `encode` made them, in their order. */
  ops(key: string, encoded: readonly unknown[]): readonly CommitOp[];
}

const BRAND = Symbol.for('rs.slotSink');

export function slotSink<T>(factory: string, name: string, declaration: SlotDeclaration): SlotSink<T> {
  checkName(name, `${factory}: the name`);
  const where = `${factory} '${name}'`;
  const sink: SlotSink<T> = {
    name,
    declaration,
    // Nothing would be written: better no run than one whose results are nowhere.
    open: () => {
      throw elsewhere(where);
    },
    invoke: () => {
      throw elsewhere(where);
    },
  };
  return Object.freeze(Object.defineProperty(sink, BRAND, { value: true }));
}

export function isSlotSink(sink: unknown): sink is SlotSink<unknown> {
  return typeof sink === 'object' && sink !== null && BRAND in sink;
}

/** Refuses options that are none or that nobody reads, and what is no function. @throws RsError `RS_INVALID_ARGUMENT` */
export function checkFunctions(
  factory: string,
  options: object,
  { required, optional }: { readonly required: readonly string[]; readonly optional: readonly string[] },
): void {
  checkObject(options, `${factory}: options`);
  checkKnown(options, [...required, ...optional], factory);
  for (const name of [...required, ...optional]) {
    const received = (options as Readonly<Record<string, unknown>>)[name];
    if (typeof received === 'function' || (received === undefined && optional.includes(name))) continue;
    throw new RsError('RS_INVALID_ARGUMENT', `${factory}: ${name} must be a function of the value`, {
      details: { received },
    });
  }
}

function elsewhere(where: string): RsError {
  return new RsError(
    'RS_UNSUPPORTED',
    `${where} writes within the commits of the Redis engine, and this is another engine; ` +
      'a TestDriver shows what would be written, and addSink(function) works everywhere',
  );
}
