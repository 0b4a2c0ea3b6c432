export { CommitLogBackend } from './commit-log-backend.ts';
export {
  type BatchedRun,
  graphOf,
  HarnessEnvironment,
  type HarnessJob,
  type HarnessResult,
  runBatched,
  runChained,
} from './job-harness.ts';
