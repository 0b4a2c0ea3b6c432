import type { RedisReply } from '@rs/redis';
import { envelopeOf } from '../../envelope/envelope-of.ts';
import { keyOfEnvelope } from '../../envelope/key-of-envelope.ts';
import type { QueueState } from '../dispatch/queue-entry.ts';
import { FLAT, type RawEntry, buffers, text } from '../partition/partition-scripts.ts';
import type { Delivery } from './delivery.ts';

/** What is known of an entry beside its content. */
export interface DeliveryFacts {
  readonly place: number | undefined;
  /** Attempts that failed. */
  readonly failed: number;
  readonly recorded: boolean;
  readonly suspect: boolean;
  /** Whether order looks at keys. */
  readonly keyed: boolean;
}

/** Fields that a redelivered entry has in front of those of the message: the id of the message. */
const REDELIVERY_FIELDS = 2;

/** A class, so that all deliveries have one shape: they are made and read hundreds of thousands of times a second. */
class Entry implements Delivery {
  queueTurn = 0;
  queueDue = 0;
  queueState: QueueState = 'new';
  counted = true;
  readonly key: string | undefined;
  readonly place: number | undefined;
  readonly bytes: number;
  failed: number;
  recorded: boolean;
  suspect: boolean;
  readonly id: string;
  readonly messageId: string;
  readonly redelivered: boolean;
  readonly m: Buffer | undefined;
  readonly k: Buffer | undefined;
  readonly h: Buffer | undefined;
  readonly d: Buffer | undefined;
  readonly foreign: readonly Buffer[] | undefined;

  constructor(
    id: string,
    messageId: string,
    redelivered: boolean,
    m: Buffer | undefined,
    k: Buffer | undefined,
    h: Buffer | undefined,
    d: Buffer | undefined,
    foreign: readonly Buffer[] | undefined,
    facts: DeliveryFacts,
  ) {
    this.id = id;
    this.messageId = messageId;
    this.redelivered = redelivered;
    this.m = m;
    this.k = k;
    this.h = h;
    this.d = d;
    this.foreign = foreign;
    this.key = facts.keyed ? keyOfEnvelope(m, k) : undefined;
    this.place = facts.place;
    this.failed = facts.failed;
    this.recorded = facts.recorded;
    this.suspect = facts.suspect;
    this.bytes =
      foreign === undefined
        ? length(m) + length(k) + length(h) + length(d)
        : foreign.reduce((sum, { length: n }) => sum + n, 0);
  }
}

/** What is left out of a reply because it is empty. */
const EMPTY = Buffer.alloc(0);

/**
 * The deliveries of new entries, as they stand in the reply of a fetch.
 *
 * @param factsOf is asked in the order of the ids, each of which it is told once
 */
export function fetchedDeliveries(
  reply: readonly RedisReply[],
  factsOf: (id: string) => DeliveryFacts,
): Delivery[] {
  const deliveries: Delivery[] = [];
  let before: Buffer | undefined;
  for (let at = 0; at < reply.length; at += FLAT) {
    const id = text(reply[at]);
    const m = reply[at + 1] ?? before;
    if (Array.isArray(m)) {
      deliveries.push(deliveryOf(id, id, false, buffers(m), factsOf(id)));
    } else {
      const [k, h, d] = [reply[at + 2] ?? EMPTY, reply[at + 3] ?? EMPTY, reply[at + 4]] as Buffer[];
      before = m as Buffer | undefined;
      deliveries.push(new Entry(id, id, false, before, k, h, d, undefined, factsOf(id)));
    }
  }
  return deliveries;
}

/** The delivery of an entry that is pending since before. */
export function pendingDelivery({ id, fields }: RawEntry, facts: DeliveryFacts): Delivery {
  return deliveryOf(id, id, false, fields, facts);
}

/** The delivery of an entry that its group is given again. */
export function redeliveredDelivery({ id, fields }: RawEntry, facts: DeliveryFacts): Delivery {
  return deliveryOf(id, text(fields[1]), true, fields.slice(REDELIVERY_FIELDS), facts);
}

function deliveryOf(
  id: string,
  messageId: string,
  redelivered: boolean,
  fields: readonly Buffer[],
  facts: DeliveryFacts,
): Delivery {
  const { m, k, h, d } = envelopeOf(fields) as { m?: Buffer; k?: Buffer; h?: Buffer; d?: Buffer };
  const complete =
    m !== undefined && k !== undefined && h !== undefined && d !== undefined && fields.length === 8;
  return new Entry(id, messageId, redelivered, m, k, h, d, complete ? undefined : fields, facts);
}

function length(value: Buffer | undefined): number {
  return value === undefined ? 0 : value.length;
}
