import { RsError } from '@rs/core';
import type { ConnectOptions, RedisConnection, RedisDriver } from '../driver/driver.ts';
import { FakeNode } from './fake-node.ts';

/** Connects to fake nodes. Without a wanted node it takes the first that is up: the master, or any of a cluster. */
export class FakeDriver implements RedisDriver {
  readonly name = 'fake';
  readonly topology: 'single' | 'cluster';
  readonly nodes: FakeNode[];
  attempts = 0;
  /** What every attempt ends with, when set. */
  failure: RsError | undefined;

  constructor(topology: 'single' | 'cluster', nodes: FakeNode[] = [new FakeNode(7000)]) {
    this.topology = topology;
    this.nodes = nodes;
  }

  async connect({ node }: ConnectOptions): Promise<RedisConnection> {
    this.attempts++;
    if (this.failure !== undefined) throw this.failure;
    const server = this.nodes.find(
      (candidate) =>
        candidate.up &&
        (node === undefined || (candidate.node.host === node.host && candidate.node.port === node.port)),
    );
    if (server === undefined) throw new RsError('RS_REDIS_UNAVAILABLE', 'ECONNREFUSED');
    return server.accept();
  }

  get first(): FakeNode {
    const [first] = this.nodes;
    if (first === undefined) throw new RsError('RS_INVALID_ARGUMENT', 'the fake driver has no nodes');
    return first;
  }
}
