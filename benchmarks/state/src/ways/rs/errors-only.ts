import { type Logger, silentLogger } from '@rs/core';

/** Warnings would come with every pass: that this Redis stores nothing durably is meant. */
export const errorsOnly: Logger = {
  ...silentLogger,
  error: (facts, message = '') => void process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
};
