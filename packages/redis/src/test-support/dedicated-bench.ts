import { expect } from '@jest/globals';
import { silentLogger } from '@rs/core';
import { DedicatedConnection } from '../connection/dedicated-connection.ts';
import type { RedisCommand, RedisNode, RedisReply } from '../driver/driver.ts';
import { FakeDriver } from './fake-driver.ts';
import { turn } from './turns.ts';

export const READ: RedisCommand = { name: 'XREAD', args: ['BLOCK', 5_000, 'STREAMS', 's', '$'] };
/** Stands for the null of a time that is over: the fake server has none. */
export const NOTHING = 'nothing';
export const SLACK = 1_000;

export interface Unblock {
  readonly id: number;
  readonly node: RedisNode;
  readonly reply: (reply: RedisReply) => void;
  readonly fail: (error: Error) => void;
}

/** A dedicated connection to a fake server that answers when the test lets it. */
export class DedicatedBench {
  readonly driver = new FakeDriver('single');
  readonly unblocks: Unblock[] = [];
  readonly connection: DedicatedConnection;
  /** What the server answers to XREAD. */
  answer: RedisReply = NOTHING;
  #ids = 40;

  constructor() {
    const { first } = this.driver;
    first.auto = false;
    first.rule = ({ name }) => {
      if (name === 'CLIENT') return ++this.#ids;
      return name === 'XREAD' ? this.answer : undefined;
    };
    this.connection = new DedicatedConnection({
      connect: (options) => this.driver.connect(options),
      driver: this.driver.name,
      target: 'orders: reader',
      connectTimeout: 1_000,
      backoff: { min: 100, max: 1_000 },
      random: () => 0.5,
      logger: silentLogger,
      slack: SLACK,
      unblock: (id, node) =>
        new Promise((resolve, reject) => {
          this.unblocks.push({ id, node, reply: resolve, fail: reject });
        }),
    });
  }

  /** A call that has got as far as the server; what comes of it, be it a reply or an error. */
  async blocked(signal?: AbortSignal): Promise<{ readonly end: Promise<unknown> }> {
    const { first } = this.driver;
    const end = this.call(signal);
    await turn();
    const isNew = first.sends.at(-1)?.[0]?.name === 'CLIENT';
    if (isNew) first.serve();
    await turn();
    expect(first.sends.at(-1)).toEqual([READ]);
    return { end };
  }

  /** The reply, or the error that it is rejected with. Nothing is left unhandled. */
  call(signal?: AbortSignal): Promise<unknown> {
    const options = { block: 5_000, ...(signal === undefined ? {} : { signal }) };
    return this.connection.call(READ, options).catch((error: unknown) => error);
  }
}

export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await turn();
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}
