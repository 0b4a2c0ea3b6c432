import type { Suite } from '@rs/bench-harness';
import { bytesPerOrder } from './cases/bytes.ts';
import { consumeAndAck } from './cases/consume.ts';
import { endToEnd } from './cases/end-to-end.ts';
import { latency } from './cases/latency.ts';
import { produceBatches, produceSingly } from './cases/produce.ts';
import { Server } from './server.ts';
import { buildWorker } from './worker/build-worker.ts';

export const suite: Suite = {
  name: 'mq',
  open: async () => {
    const program = await buildWorker();
    const server = await Server.start();
    const setting = { server, program };
    return {
      redis: await server.version(),
      cases: [
        endToEnd(setting, 8),
        endToEnd(setting, 1),
        produceBatches(setting),
        produceSingly(setting),
        consumeAndAck(setting),
        latency(setting),
        bytesPerOrder(setting),
      ],
      close: () => server.stop(),
    };
  },
};
