import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { coded } from '../test-support/coded.ts';
import { FakeReplica } from '../test-support/fake-replica.ts';
import { FakeTimers } from '../test-support/fake-timers.ts';
import { ReplicaRounds, type ReplicatedTask } from './replica-rounds.ts';

interface Asked {
  /** `undefined` while it waits. */
  outcome: unknown;
  readonly leave: () => void;
}

/** Rounds over a master that answers when the test says so. */
class World {
  readonly redis = new FakeReplica();
  readonly timers = new FakeTimers();
  readonly log: string[] = [];
  readonly rounds: ReplicaRounds;
  #ids = 0;

  constructor() {
    const write = (_: object, message = ''): void => void this.log.push(message);
    this.rounds = new ReplicaRounds({
      connect: () => this.redis.connect(),
      timers: this.timers,
      random: () => 0.5,
      ids: () => `mark-${++this.#ids}`,
      logger: { debug: write, info: write, warn: write, error: write },
    });
  }

  /** A task whose last commit has this number. */
  task(name: string, seq: number): ReplicatedTask {
    this.committed(name, seq);
    const keys = { own: `${name}:own`, meta: `${name}:meta`, ack: `${name}:ack` };
    return { keys, token: `token of ${name}`, topic: 't', partition: 0, replicated: -1 };
  }

  committed(name: string, seq: number, token = `token of ${name}`): void {
    this.redis.tasks.set(`${name}:own`, { token, seq });
  }

  ask(task: ReplicatedTask, seq: number): Asked {
    const controller = new AbortController();
    const asked: Asked = {
      outcome: undefined,
      leave: () => controller.abort(new RsError('RS_CLOSED', 'it left')),
    };
    this.rounds.replicated(task, seq, controller.signal).then(
      () => (asked.outcome = 'replicated'),
      (error: unknown) => (asked.outcome = error),
    );
    return asked;
  }

  async answer(fate?: Parameters<FakeReplica['answer']>[0]): Promise<void> {
    await this.timers.settle();
    this.redis.answer(fate);
    await this.timers.settle();
  }
}

describe('a round', () => {
  test('answers all who waited when it began', async () => {
    const world = new World();
    const [a, b] = [world.task('a', 3), world.task('b', 8)];
    const asked = [world.ask(a, 3), world.ask(b, 7), world.ask(b, 8)];
    await world.timers.settle();
    expect(asked.map(({ outcome }) => outcome)).toEqual([undefined, undefined, undefined]);
    await world.answer();
    expect(asked.map(({ outcome }) => outcome)).toEqual(['replicated', 'replicated', 'replicated']);
    expect(world.redis.rounds).toEqual([['a:own', 'b:own']]);
  });

  test('says nothing about a commit that was made after it began', async () => {
    const world = new World();
    const a = world.task('a', 3);
    const first = world.ask(a, 3);
    await world.timers.settle();
    world.committed('a', 4);
    const second = world.ask(a, 4);
    await world.answer();
    expect([first.outcome, second.outcome]).toEqual(['replicated', undefined]);
    await world.answer();
    expect(second.outcome).toBe('replicated');
  });

  test('is one for all who come while another one is under way', async () => {
    const world = new World();
    const tasks = ['a', 'b', 'c', 'd'].map((name) => world.task(name, 1));
    const asked = tasks.map((task) => world.ask(task, 1));
    await world.timers.settle();
    for (const name of ['a', 'b', 'c', 'd']) world.committed(name, 2);
    const late = tasks.map((task) => world.ask(task, 2));
    await world.answer();
    expect(asked.every(({ outcome }) => outcome === 'replicated')).toBe(true);
    await world.answer();
    expect(late.every(({ outcome }) => outcome === 'replicated')).toBe(true);
    expect(world.redis.rounds).toHaveLength(2);
    expect(world.redis.connections).toBe(1);
  });

  test('is not needed for a commit that an earlier one has seen', async () => {
    const world = new World();
    const a = world.task('a', 5);
    world.ask(a, 2);
    await world.answer();
    const asked = world.ask(a, 5);
    await world.timers.settle();
    expect(asked.outcome).toBe('replicated');
    expect(world.redis.rounds).toHaveLength(1);
  });

  test('loads its script where it is missing', async () => {
    const world = new World();
    world.redis.scriptMissing = true;
    const asked = world.ask(world.task('a', 1), 1);
    await world.answer();
    expect(asked.outcome).toBe('replicated');
  });
});

describe('is made again after a pause', () => {
  test.each([
    ['no replica has answered', 'alone'],
    ['the connection was lost', 'lost'],
    ['the server has become another one', 'replaced'],
    ['Redis has refused it', new RsError('RS_REDIS_REPLY', 'Redis replied: UNBLOCKED')],
  ] as const)('when %s', async (_, fate) => {
    const world = new World();
    const asked = world.ask(world.task('a', 1), 1);
    await world.answer(fate);
    expect(asked.outcome).toBeUndefined();
    expect(world.rounds.failure).toBeInstanceOf(RsError);
    expect(world.redis.rounds).toHaveLength(1);
    await world.timers.advance(25);
    await world.answer(fate);
    await world.timers.advance(50);
    expect(asked.outcome).toBeUndefined();
    await world.answer();
    expect(asked.outcome).toBe('replicated');
    expect(world.rounds.failure).toBeUndefined();
  });

  test('and tells once that it has failed, and that it works again', async () => {
    const world = new World();
    world.ask(world.task('a', 1), 1);
    await world.answer('alone');
    await world.timers.advance(25);
    await world.answer('alone');
    await world.timers.advance(50);
    await world.answer();
    expect(world.log).toEqual([
      'results wait until a replica of Redis has their commits: no replica of Redis has confirmed within 1000 ms that it has the last commits',
      'a replica of Redis confirms commits again, after 0.1 s',
    ]);
  });
});

describe('a commit that the server does not have', () => {
  test('is looked for once more over another connection: the first may have been to a master that is none any more', async () => {
    const world = new World();
    const a = world.task('a', 2);
    const asked = world.ask(a, 3);
    await world.timers.settle();
    world.committed('a', 3);
    await world.answer();
    expect([asked.outcome, world.redis.closed]).toEqual([undefined, 1]);
    await world.answer();
    expect([asked.outcome, world.redis.connections]).toEqual(['replicated', 2]);
  });

  test('either time is lost, as one of another owner is, and holds up nobody else, also without a replica', async () => {
    const world = new World();
    const [a, b, c] = [world.task('a', 3), world.task('b', 3), world.task('c', 3)];
    world.committed('a', 2);
    world.committed('b', 9, 'another token');
    const asked = [a, b, c].map((task) => world.ask(task, 3));
    await world.answer('alone');
    await world.timers.advance(100);
    await world.answer('alone');
    expect(asked.map(({ outcome }) => outcome)).toEqual([
      coded('RS_LEASE_LOST'),
      coded('RS_LEASE_LOST'),
      undefined,
    ]);
    await world.timers.advance(100);
    await world.answer();
    expect(asked.at(-1)?.outcome).toBe('replicated');
  });
});

describe('an end', () => {
  test('of one who waits leaves the others waiting', async () => {
    const world = new World();
    const [a, b] = [world.task('a', 1), world.task('b', 1)];
    const asked = [world.ask(a, 1), world.ask(b, 1)];
    await world.timers.settle();
    asked[0]?.leave();
    await world.timers.settle();
    expect(asked.map(({ outcome }) => outcome)).toEqual([
      coded('RS_CLOSED', { message: 'it left' }),
      undefined,
    ]);
    await world.answer();
    expect(asked[1]?.outcome).toBe('replicated');
    expect(world.redis.rounds).toHaveLength(1);
  });

  test('of all who wait is the end of the rounds', async () => {
    const world = new World();
    const asked = world.ask(world.task('a', 1), 1);
    await world.answer('alone');
    asked.leave();
    expect(world.rounds.failure).toBeUndefined();
    await world.timers.advance(10_000);
    expect([world.redis.rounds.length, world.timers.time.planned]).toEqual([1, 0]);
  });

  test.each(['while a round is under way', 'in the pause between two'])('%s releases all', async (when) => {
    const world = new World();
    const a = world.task('a', 1);
    const asked = world.ask(a, 1);
    await world.timers.settle();
    if (when.startsWith('in')) await world.answer('alone');
    world.rounds.close();
    await world.timers.advance(10_000);
    expect(asked.outcome).toEqual(coded('RS_CLOSED'));
    const late = world.ask(a, 1);
    await world.timers.advance(10_000);
    expect(late.outcome).toEqual(coded('RS_CLOSED'));
    expect([world.redis.rounds.length, world.timers.time.planned]).toEqual([1, 0]);
    expect(world.redis.closed).toBe(world.redis.connections);
  });
});
