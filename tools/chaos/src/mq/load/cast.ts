import type { Cast } from '../../schedule/schedule.ts';

/** What can go wrong in this suite. */
export const CAST: Cast = {
  kinds: [
    ...(['killConsumer', 'killProducer', 'freeze', 'nap', 'stopConsumer', 'killClients'] as const),
    ...(['restartServer', 'crashServer', 'pauseServer', 'flushScripts', 'destroyGroup'] as const),
    ...(['delay', 'loseReplies', 'halfClose', 'swallow'] as const),
  ],
  workers: ['consumer-0', 'consumer-1', 'consumer-2'],
  producer: true,
  points: { anytime: [], fresh: [] },
};
