import { type KeySelector, partitionOf, RsError } from '@rs/core';
import { routeText } from './exchange.ts';
import type { Gate } from './gate.ts';
import { KeyAssigner, KeyByOperator } from './key-by.ts';
import type { KeyedGroup } from './keyed-group.ts';
import type { AnyReceiver } from './receiver.ts';

/** One of the partitions that an operator has. */
export interface PartitionPlace {
  readonly partition: number;
  readonly partitions: number;
}

/** `keyBy` with `colocated: true`: the records of a key are where they belong already, and one that is not is an error. */
export class ColocatedKeyByOperator<T, K> extends KeyByOperator<T, K> {
  readonly #place: PartitionPlace;

  constructor(
    gate: Gate,
    out: AnyReceiver,
    selector: KeySelector<T, K>,
    group: KeyedGroup | undefined,
    place: PartitionPlace,
  ) {
    super(gate, out, selector, group);
    this.#place = place;
  }

  protected override keyOf(value: T, messageKey: unknown): unknown {
    const key = super.keyOf(value, messageKey);
    checkColocated(
      this.gate,
      key,
      this.#place,
      "leave out 'colocated', so that records are sent to the partition of their key",
    );
    return key;
  }
}

/** `keyByMessageKey`: the key is the one that the record's message was sent with. */
export class MessageKeyOperator<T> extends KeyAssigner<T> {
  readonly #place: PartitionPlace;

  constructor(gate: Gate, out: AnyReceiver, group: KeyedGroup | undefined, place: PartitionPlace) {
    super(gate, out, group);
    this.#place = place;
  }

  protected keyOf(_value: T, messageKey: unknown): unknown {
    if (typeof messageKey !== 'string') throw this.gate.failed(this.#missing());
    checkColocated(
      this.gate,
      messageKey,
      this.#place,
      'name no partition when you send, or use keyBy(selector)',
    );
    return messageKey;
  }

  #missing(): RsError {
    const { operator } = this.gate;
    const { partition } = this.#place;
    return new RsError(
      'RS_INVALID_KEY',
      `${operator}: a message in partition ${partition} has no key; send messages with one, leave those without out ` +
        'before, or use keyBy(selector)',
      { details: { operator, partition } },
    );
  }
}

/**
 * Invariant: all records of a key are in one partition, where its state is. A record elsewhere would meet a second, empty
 * state, and nobody would notice.
 */
function checkColocated(
  gate: Gate,
  key: unknown,
  { partition, partitions }: PartitionPlace,
  advice: string,
): void {
  if (partitions === 1) return;
  const text = routeText(key);
  const home = partitionOf(text, partitions);
  if (home === partition) return;
  const { operator } = gate;
  throw gate.failed(
    new RsError(
      'RS_NOT_COLOCATED',
      `${operator}: the key ${JSON.stringify(text)} belongs to partition ${home} of ${partitions}, but a record with it ` +
        `is in partition ${partition}; ${advice}`,
      { details: { operator, key, belongsTo: home, foundIn: partition, partitions } },
    ),
  );
}
