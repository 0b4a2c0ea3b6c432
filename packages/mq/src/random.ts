import { randomBytes } from 'node:crypto';

/** Gives numbers from 0 up to, but not including, 1. Injected, so that a test can fix them. */
export type Random = () => number;

/** The randomness of the machine: jitter and choices, never ids. */
export const systemRandom: Random = () => Math.random();

/** Gives ids that nobody else gives. Injected, so that a test can fix them. */
export type Ids = () => string;

/** 96 random bits. */
export const systemIds: Ids = () => randomBytes(12).toString('base64url');
