import { createMq, type Mq } from '@rs/mq';
import { type RedisJobClient, RedisStreamExecutionEnvironment } from '@rs/runtime-redis';
import { Redis } from 'ioredis';
import { type Payment, payment } from '../load/payment.ts';
import type { Place } from '../ways/way.ts';
import { errorsOnly } from '../ways/rs/errors-only.ts';
import { PAYMENTS } from '../ways/rs/job.ts';
import { JOB, countingJob } from '../ways/rs/counting-job.ts';

export interface Joining {
  readonly place: Place;
  readonly leaseMs: number;
}

export interface Sending {
  readonly place: Place;
  /** Number of the first payment. */
  readonly first: number;
  readonly count: number;
  readonly customers: number;
}

/** What a process of a job that never ends can be told to do, and one that sends to it. */
export class Member {
  #client: RedisJobClient | undefined;
  #mq: Mq | undefined;

  async prepare(place: Place): Promise<void> {
    await this.#open(place).topics.ensure(PAYMENTS, { partitions: place.partitions });
  }

  /** Sends payments. Fulfilled when they are in Redis. */
  async send({ place, first, count, customers }: Sending): Promise<void> {
    const values = Array.from({ length: count }, (_, index): Payment => payment(first + index, customers));
    await this.#open(place)
      .producer()
      .sendBatch(
        PAYMENTS,
        values.map((value) => ({ key: value.customer, value, timestamp: value.at })),
      );
  }

  async join({ place, leaseMs }: Joining): Promise<void> {
    const { host, port, prefix } = place;
    const redis = new Redis({ host, port, lazyConnect: true });
    const config = { jobName: JOB, prefix, lease: leaseMs, logger: errorsOnly };
    const env = RedisStreamExecutionEnvironment.create(redis, config);
    this.#client = await env.run(countingJob());
    await this.#client.ready();
  }

  /** How many partitions this process owns. */
  async owned(_: undefined): Promise<number> {
    const { pipelines } = this.#client?.diagnostics() ?? { pipelines: [] };
    return pipelines.flatMap(({ owned }) => owned).length;
  }

  #open({ host, port, prefix }: Place): Mq {
    return (this.#mq ??= createMq({ redis: new Redis({ host, port, lazyConnect: true }), prefix }));
  }
}
