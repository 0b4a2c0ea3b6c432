export { TestDriver, type WatermarkPlace } from './test-driver.ts';
export type { TestOutput, TestTimer } from './test-results.ts';
export { DEFAULTS, type TestDriverOptions } from './options.ts';
export type { TopicOrName } from './topic-inputs.ts';
export type { StoredStateOf } from '@rs/runtime/testing';
