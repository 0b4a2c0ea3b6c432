import { channel } from 'node:diagnostics_channel';
import { DIAGNOSTICS_CHANNELS } from '@rs/core';

/** The channels of core that @rs/redis publishes to. */
export const channels = {
  connected: channel(DIAGNOSTICS_CHANNELS.redisConnected),
  disconnected: channel(DIAGNOSTICS_CHANNELS.redisDisconnected),
};
