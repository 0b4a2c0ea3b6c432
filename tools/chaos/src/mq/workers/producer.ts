import { isRsError } from '@rs/core';
import { type NewMessage, type Receipt, bytesCodec } from '@rs/mq';
import type { Entry } from '../history/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { payloadOf } from '../load/payload.ts';
import type { MessageName } from '../load/plan.ts';
import { LOAD } from '../load/settings.ts';
import { Dice } from '../../seed/dice.ts';
import { hash } from '../../seed/hash.ts';
import { now } from '../../time/now.ts';
import { type WorkerConfig, HEADERS } from './config.ts';
import { connect } from './connect.ts';
import type { Worker } from '../../processes/worker.ts';

/** Longer than Redis is ever away. */
const CLOSE_TIMEOUT = '20s';
/** A producer that was held up does not make up for all of it at once. */
const MAX_PORTION = 100;

/** Sends numbered messages of many keys, each key from where an earlier process of this name has come to. */
export function startProducer(config: WorkerConfig, journal: Journal<Entry>): Worker {
  const { seed, incarnation, rate, confirmed } = config;
  const mq = connect(config);
  const producer = mq.producer({ codec: bytesCodec() });
  const dice = new Dice(hash(seed, incarnation));
  const numbers = new Map(Object.entries(confirmed));
  let unconfirmed = 0;

  const nextName = (): MessageName => {
    const key = `key-${dice.integer(0, LOAD.keys - 1)}`;
    const n = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, n);
    return { key, n };
  };
  const messageOf = (name: MessageName): NewMessage<unknown> => ({
    key: name.key,
    value: payloadOf(seed, name),
    headers: { [HEADERS.by]: incarnation, [HEADERS.n]: String(name.n) },
  });
  const send = async (names: readonly MessageName[]): Promise<void> => {
    for (const name of names) journal.write({ type: 'send', ...name });
    unconfirmed += names.length;
    const messages = names.map(messageOf);
    try {
      const [first] = messages;
      const receipts =
        messages.length === 1 && first !== undefined
          ? [await producer.send(LOAD.topic, first)]
          : await producer.sendBatch(LOAD.topic, messages);
      confirm(names, receipts);
    } catch (error) {
      const { receipts, fate } = (isRsError(error) ? error.details : {}) as {
        receipts?: readonly (Receipt | undefined)[];
        fate?: string;
      };
      if (receipts !== undefined) confirm(names, receipts);
      const refused = names.filter((_, at) => receipts?.[at] === undefined);
      for (const name of refused) {
        journal.write({
          type: 'refused',
          ...name,
          code: isRsError(error) ? error.code : String(error),
          fate: fate ?? '',
        });
      }
    }
    unconfirmed -= names.length;
  };
  const confirm = (names: readonly MessageName[], receipts: readonly (Receipt | undefined)[]): void => {
    names.forEach((name, at) => {
      const receipt = receipts[at];
      if (receipt !== undefined) journal.write({ type: 'confirmed', ...name, ...receipt });
    });
  };

  let last = now();
  let due = 0;
  const timer = setInterval(() => {
    const at = now();
    due = Math.min(MAX_PORTION, due + ((at - last) / 1_000) * rate);
    last = at;
    while (due >= 1 && unconfirmed < LOAD.maxUnconfirmed) {
      const size = dice.chance(0.05) ? Math.min(Math.floor(due), dice.integer(2, 20)) : 1;
      void send(Array.from({ length: size }, nextName));
      due -= size;
    }
  }, LOAD.tick);

  return {
    stop: async () => {
      clearInterval(timer);
      await producer.close({ timeout: CLOSE_TIMEOUT });
      await mq.close();
    },
  };
}
