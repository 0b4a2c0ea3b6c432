import { fileURLToPath } from 'node:url';
import { buildWorker, type Suite } from '@rs/bench-harness';
import { Server } from '@rs/bench-harness/redis';
import { recovery } from './cases/recovery.ts';
import { sums } from './cases/sums.ts';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
const MINUTE = 60_000;
/** Windows are of so many customers: each pays about once in a second. */
const CUSTOMERS = 1_000;

export const suite: Suite = {
  name: 'state',
  open: async () => {
    const program = await buildWorker(FOLDER);
    const server = await Server.start();
    const setting = { server, program };
    const windows = { customers: CUSTOMERS, size: MINUTE };
    return {
      redis: await server.version(),
      cases: [
        sums(setting, {
          name: 'keyed sum, 100,000 keys',
          work: { kind: 'sum', customers: 100_000 },
          records: 400_000,
          naive: 8_000,
          memory: true,
        }),
        sums(setting, {
          name: 'keyed sum, 100 keys',
          work: { kind: 'sum', customers: 100 },
          records: 400_000,
          naive: 8_000,
        }),
        sums(setting, {
          name: 'tumbling windows of 1 min',
          work: { kind: 'tumbling', ...windows },
          records: 400_000,
          naive: 8_000,
        }),
        sums(setting, {
          name: 'sliding windows of 1 min every 6 s',
          work: { kind: 'sliding', ...windows, slide: MINUTE / 10 },
          records: 100_000,
          naive: 1_000,
        }),
        sums(setting, {
          name: 'sessions, gap of 3 s',
          work: { kind: 'sessions', customers: CUSTOMERS, gap: 3_000 },
          records: 400_000,
          naive: 4_000,
        }),
        recovery(setting),
      ],
      close: () => server.stop(),
    };
  },
};
