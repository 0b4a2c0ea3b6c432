export { redisDriverCases } from './redis-driver-cases.ts';
export type { DriverCase, DriverSubject } from './driver-case.ts';
