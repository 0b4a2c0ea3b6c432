export { CommitLogBackend, type OwnedTimer } from './commit-log-backend.ts';
export {
  type BatchedResult,
  type BatchedRun,
  graphOf,
  HarnessEnvironment,
  type HarnessItem,
  type HarnessJob,
  type HarnessResult,
  runBatched,
  runChained,
} from './job-harness.ts';
export { transferred } from './item-log.ts';
export { JobSimulation, type SimulationOptions } from './job-simulation.ts';
export { becomesQuiet } from './quiet.ts';
export { emptyState, readState, type StoredStateOf } from '../state/read-state.ts';
export type { PendingTimer, SimulatedState, SimulatedTask } from './simulated-task.ts';
