import type { DataStream, StreamSink, TwoPhaseCommitSink } from '../index.ts';

declare const numbers: DataStream<number>;

interface Txn {
  readonly file: string;
}

class FileSink implements TwoPhaseCommitSink<number, Txn> {
  beginTxn(): Txn {
    return { file: 'a' };
  }
  invoke(value: number, txn: Txn): void {
    void [value.toFixed(), txn.file];
  }
  preCommit(): void {}
  async commit(_txn: Txn): Promise<void> {}
  recoverAndCommit(_txn: Txn): void {}
  recoverAndAbort(_txn: Txn): void {}
}

export function transactionalSinks(): DataStream<number> {
  return numbers
    .addSink(new FileSink(), { uid: 'files' })
    .addSink({
      beginTxn: async () => ({ rows: [0] }),
      invoke: (value, txn) => void txn.rows.push(value),
      preCommit: (txn) => void txn.rows.length,
      commit: (txn) => void txn.rows.length,
      recoverAndCommit: (txn) => void txn.rows.length,
      recoverAndAbort: () => undefined,
    })
    .addSink({
      invoke: (value) => void value.toFixed(),
      onCheckpointComplete: (id) => void id.toFixed(),
    })
    .addSink((value) => void value.toFixed());
}

export function otherValues(texts: DataStream<string>, sink: StreamSink<string>): void {
  texts.addSink(sink);
  // @ts-expect-error -- it takes numbers
  texts.addSink(new FileSink());
}
