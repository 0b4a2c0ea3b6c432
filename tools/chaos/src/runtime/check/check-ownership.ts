import { compareIds } from '../../redis/compare-ids.ts';
import type { Commit, History } from '../history/history.ts';
import { LOAD } from '../load/settings.ts';
import { partitionEvidence } from './evidence.ts';
import type { Violation } from './violation.ts';

export interface Ownership {
  /** Commits that changed something. */
  readonly commits: number;
  /** Commits of those who had lost their partition, all without effect. */
  readonly fenced: number;
  /** Commits whose reply was lost and that were found to have been made. */
  readonly repeated: number;
  readonly violations: readonly Violation[];
}

const AROUND = 3_000;

/**
 * Commits follow on each other, one by one, and each is that of the owner at its time: after another one has acquired the partition,
 * nothing that the one before sends changes anything.
 */
export function checkOwnership(history: History): Ownership {
  const violations: Violation[] = [];
  const made = history.commits.filter(({ reply }) => reply === 'OK');
  for (let partition = 0; partition < LOAD.partitions; partition++) {
    const tell = (what: string, at: number): void => {
      violations.push({
        promise: 'only the owner changes anything',
        what: `partition ${partition}: ${what}`,
        evidence: partitionEvidence(history, partition, at - AROUND, at + AROUND),
      });
    };
    const epochs = new Map(
      history.tenures.filter((each) => each.partition === partition).map((each) => [each.token, each]),
    );
    const bySeq = new Map<number, Commit>();
    const known = history.commits.filter((each) => each.partition === partition);
    for (const commit of known) {
      const { seq, incarnation, at, token, reply } = commit;
      if (reply === 'SEQ') tell(`commit ${seq} of ${incarnation} was not the next one`, at);
      if (reply !== 'OK' && reply !== 'DUP') continue;
      const other = bySeq.get(seq);
      if (other !== undefined && (other.token !== token || reply === 'OK')) {
        tell(`commit ${seq} of ${other.incarnation} was made again by ${incarnation}`, at);
      }
      bySeq.set(seq, commit);
      if (!epochs.has(token))
        tell(`commit ${seq} of ${incarnation} is under a token that nobody was given`, at);
    }
    const inOrder = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
    for (const [index, { seq, at, token, offset, incarnation }] of inOrder.entries()) {
      const before = inOrder[index - 1];
      if (before === undefined) continue;
      const [epoch = 0, earlier = 0] = [epochs.get(token)?.epoch, epochs.get(before.token)?.epoch];
      if (epoch < earlier) tell(`commit ${seq} of epoch ${epoch} was made after one of epoch ${earlier}`, at);
      if (compareIds(offset, before.offset) < 0) {
        tell(`commit ${seq} of ${incarnation} went back from ${before.offset} to ${offset}`, at);
      }
    }
    for (const { token, seq, offset, incarnation, from } of epochs.values()) {
      const found = bySeq.get(seq);
      if (found !== undefined && found.offset !== offset) {
        tell(`${incarnation} was given commit ${seq} at ${offset}, which had come to ${found.offset}`, from);
      }
      const stale = inOrder.find((each) => each.seq <= seq && each.token === token);
      if (stale !== undefined)
        tell(`${incarnation} made commit ${stale.seq} after it was given ${seq}`, stale.at);
    }
  }
  const count = (reply: string): number => history.commits.filter((each) => each.reply === reply).length;
  return { commits: made.length, fenced: count('FENCED'), repeated: count('DUP'), violations };
}
