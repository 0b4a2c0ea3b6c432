import { describe, expect, test } from '@jest/globals';
import type { TwoPhaseCommitSink } from '@rs/core';
import { newTask } from '../test-support/new-task.ts';
import { SinkCalls } from './sink-calls.ts';
import { runSteps } from './steps.ts';
import { Transactions } from './transactions.ts';

interface Txn {
  readonly number: number;
  rows: number;
}

/** The transactions of a sink that notes its calls, and fails where the test says so. */
function noting(changes: Partial<TwoPhaseCommitSink<never, Txn>> = {}) {
  const calls: string[] = [];
  let next = 1;
  const note = (call: string) => (txn: Txn) => void calls.push(`${call} ${txn.number}`);
  const sink: TwoPhaseCommitSink<never, Txn> = {
    beginTxn: () => ({ number: next++, rows: 0 }),
    invoke: () => undefined,
    preCommit: note('prepare'),
    commit: note('commit'),
    recoverAndCommit: note('recover'),
    recoverAndAbort: note('forget'),
    ...changes,
  };
  const transactions = new Transactions(sink, new SinkCalls(newTask({ mode: 'async' }), "sink 's'"));
  const begin = () => void transactions.begin();
  return { transactions, calls, begin };
}

describe('prepared transactions', () => {
  test('are copied when they are stored', () => {
    const { transactions, begin } = noting();
    begin();
    const { open } = transactions;
    runSteps(transactions.prepare());
    const handles = transactions.handles();
    if (open !== undefined) open.txn.rows = 5;
    expect(handles).toEqual(['{"number":1,"rows":0}']);
    expect(transactions.open).toBeUndefined();
  });

  test('are committed once, in their order', () => {
    const { transactions, calls, begin } = noting();
    for (let i = 0; i < 2; i++) {
      begin();
      runSteps(transactions.prepare());
    }
    runSteps(transactions.prepare()); // Nothing is open.
    runSteps(transactions.commit());
    runSteps(transactions.commit());
    expect(calls).toEqual(['prepare 1', 'prepare 2', 'commit 1', 'commit 2']);
    expect(transactions.handles()).toEqual([]);
  });

  test('stay when they cannot be committed, and when the run ends if a checkpoint holds them', async () => {
    let refused = 1;
    const commits: number[] = [];
    const { transactions, calls, begin } = noting({
      commit: async ({ number }) => {
        if (number === refused) throw new Error('busy');
        commits.push(number);
      },
    });
    for (let i = 0; i < 2; i++) {
      begin();
      runSteps(transactions.prepare());
    }
    transactions.hold();
    await expect(runSteps(transactions.commit())).rejects.toThrow("sink 's' failed: busy");
    expect(transactions.handles()).toEqual(['{"number":1,"rows":0}']);
    await runSteps(transactions.abort());
    expect(calls).toEqual(['prepare 1', 'prepare 2']);
    refused = 0;
    await runSteps(transactions.commit());
    expect(commits).toEqual([2, 1]);
  });

  test('that cannot be committed are given up when the run ends if no checkpoint holds them', () => {
    const { transactions, calls, begin } = noting({
      commit: () => {
        throw new Error('busy');
      },
    });
    begin();
    runSteps(transactions.prepare());
    expect(() => runSteps(transactions.commit())).toThrow('busy');
    runSteps(transactions.abort());
    expect(calls).toEqual(['prepare 1', 'forget 1']);
    expect(transactions.handles()).toEqual([]);
  });

  test('are held by the checkpoint that they were prepared for, not by a later one that failed', () => {
    const { transactions, calls, begin } = noting();
    begin();
    runSteps(transactions.prepare());
    transactions.hold();
    begin();
    runSteps(transactions.prepare());
    runSteps(transactions.abort());
    expect(calls).toEqual(['prepare 1', 'prepare 2', 'forget 2']);
    expect(transactions.handles()).toEqual(['{"number":1,"rows":0}']);
  });

  test('that no checkpoint holds are given up with the open one when the run ends', async () => {
    const { transactions, calls, begin } = noting();
    begin();
    runSteps(transactions.prepare());
    begin();
    await runSteps(transactions.abort());
    expect(calls).toEqual(['prepare 1', 'forget 1', 'forget 2']);
    await runSteps(transactions.abort());
    expect(calls).toHaveLength(3);
  });

  test('are given up with abort(), where there is one, one by one', () => {
    const aborted: number[] = [];
    const { transactions, begin } = noting({
      abort: ({ number }) => {
        aborted.push(number);
        throw new Error('gone');
      },
    });
    begin();
    runSteps(transactions.prepare());
    begin();
    expect(() => runSteps(transactions.abort())).toThrow('gone');
    expect(aborted).toEqual([1, 2]);
  });

  test('of a checkpoint are committed from their handles', () => {
    const { transactions, calls } = noting();
    runSteps(transactions.recover(['{"number":7,"rows":1}', '{"number":8,"rows":0}']));
    expect(calls).toEqual(['recover 7', 'recover 8']);
  });
});

describe('an open transaction', () => {
  test('stays open when it cannot be prepared', () => {
    let attempts = 0;
    const { transactions, begin } = noting({
      preCommit: () => {
        if (++attempts === 1) throw new Error('busy');
      },
    });
    begin();
    expect(() => runSteps(transactions.prepare())).toThrow('busy');
    expect(transactions.open?.txn.number).toBe(1);
    runSteps(transactions.prepare());
    expect(transactions.handles()).toHaveLength(1);
  });

  test('that is being begun is given up once it was', async () => {
    const { transactions, calls, begin } = noting({
      beginTxn: async () => {
        await Promise.resolve();
        return { number: 5, rows: 0 };
      },
    });
    begin();
    expect(transactions.open).toBeUndefined();
    await runSteps(transactions.abort());
    expect(calls).toEqual(['forget 5']);
  });
});
