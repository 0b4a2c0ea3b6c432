import { expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { parseArguments } from './options.ts';

const SUITES = ['memory', 'mq'];

test('three rounds of all cases and text, unless something else is said', () => {
  expect(parseArguments(['mq'], SUITES)).toEqual({
    suite: 'mq',
    rounds: 3,
    json: false,
    only: undefined,
  });
  expect(parseArguments(['memory', '--json', '--rounds', '5', '--only', 'produce, batches'], SUITES)).toEqual(
    { suite: 'memory', rounds: 5, json: true, only: 'produce, batches' },
  );
});

test.each([[['queue']], [[]], [['mq', '--rounds', '0']], [['mq', '--rounds', '1.5']], [['mq', '--fast']]])(
  '%j is refused',
  (args) => {
    const { write } = process.stderr;
    process.stderr.write = () => true; // commander explains itself there
    try {
      expect(() => parseArguments(args, SUITES)).toThrow(CommanderError);
    } finally {
      process.stderr.write = write;
    }
  },
);
