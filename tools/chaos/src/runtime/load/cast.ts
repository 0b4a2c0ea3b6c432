import type { Cast } from '../../schedule/schedule.ts';

/** What can go wrong in this suite. */
export const CAST: Cast = {
  kinds: [
    // Twice as often as others: they are what the engine is about.
    ...(['killWorker', 'dieAt', 'dieAt', 'dieAt', 'freeze', 'nap', 'stopWorker', 'killClients'] as const),
    ...(['restartServer', 'crashServer', 'pauseServer', 'flushScripts'] as const),
    ...(['delay', 'loseReplies', 'loseReplyOf', 'loseReplyOf', 'halfClose', 'swallow'] as const),
  ],
  workers: ['worker-0', 'worker-1', 'worker-2'],
  producer: false,
  points: {
    anytime: [
      'commit-task',
      'commit-task',
      'read-cells',
      'page-timers',
      'append-outputs',
      'XRANGE',
      'renew-tasks',
      'mirror-group',
      'meet-job',
    ],
    fresh: ['acquire-task', 'acquire-task', 'page-timers', 'read-cells', 'commit-task', 'join-job', 'XRANGE'],
  },
};
