import { processProbe, type Suite } from '@rs/bench-harness';
import { loopCase } from './loops/case.ts';
import { heldLoop } from './loops/held.ts';
import { loopInTime } from './loops/in-time.ts';
import { limitedLoops } from './loops/limited.ts';
import { waitingRuns } from './loops/waiting.ts';
import { strictSequence, strictSequenceAsJob } from './strict/case.ts';

export const suite: Suite = {
  name: 'cep',
  open: () => ({
    redis: null,
    cases: [
      strictSequence(2_000_000, processProbe),
      strictSequenceAsJob(200_000, processProbe),
      loopCase(loopInTime(100_000), processProbe),
      loopCase(heldLoop(200_000), processProbe),
      loopCase(limitedLoops(20_000), processProbe),
      loopCase(waitingRuns(100_000), processProbe),
    ],
  }),
};
