import { connect, streamLengths } from '../connect.ts';
import type { Place, Sender, Way } from '../way.ts';
import { openLoop } from './loop.ts';

export const GROUP = 'bench';

/** The streams that stand for partitions, by their number. */
export function streamsOf({ partitions }: Pick<Place, 'partitions'>): string[] {
  return Array.from({ length: partitions }, (_, partition) => `orders:${partition}`);
}

/** Streams and a consumer group on ioredis, without anything that is not necessary, and one way to send to them. */
export function byHand(openSender: (place: Place) => Promise<Sender>): Way {
  return {
    ordered: true,
    prepare: async (place) => {
      const redis = await connect(place);
      for (const stream of streamsOf(place)) await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
      await redis.quit();
    },
    openSender,
    openReceiver: openLoop,
    stored: streamLengths,
  };
}
