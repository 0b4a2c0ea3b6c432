import { fileURLToPath } from 'node:url';
import { buildWorker, type Suite } from '@rs/bench-harness';
import { Server } from '@rs/bench-harness/redis';
import { bytesPerOrder } from './cases/bytes.ts';
import { consumeAndAck } from './cases/consume.ts';
import { endToEnd } from './cases/end-to-end.ts';
import { latency } from './cases/latency.ts';
import { produceBatches, produceSingly } from './cases/produce.ts';

export const suite: Suite = {
  name: 'mq',
  open: async () => {
    const program = await buildWorker(fileURLToPath(new URL('..', import.meta.url)));
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
