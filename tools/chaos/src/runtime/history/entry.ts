import type { Stamped } from '../../journal/journal.ts';
import type { ProcessEntry } from '../../journal/process-entry.ts';
import type { Place } from '../load/fates.ts';
import type { Count } from '../load/results.ts';

/** What happens to a process, as it writes it down itself. */
export type Entry = ProcessEntry | RuntimeEntry;

type RuntimeEntry = Stamped &
  (
    | { readonly type: 'sent'; readonly n: number }
    | { readonly type: 'confirmed'; readonly n: number; readonly partition: number; readonly id: string }
    | { readonly type: 'refused'; readonly n: number; readonly code: string }
    /** It takes part in the job. */
    | { readonly type: 'ready' }
    /** Redis has given it a partition. `offset`: where the last commit has come to. */
    | {
        readonly type: 'acquired';
        readonly partition: number;
        readonly token: string;
        readonly epoch: number;
        readonly seq: number;
        readonly offset: string;
      }
    | { readonly type: 'released'; readonly partition: number; readonly token: string }
    /** Redis has answered a commit: `OK`, `DUP`, `FENCED`, `SEQ`, or an error. */
    | {
        readonly type: 'commit';
        readonly partition: number;
        readonly token: string;
        readonly seq: number;
        readonly offset: string;
        readonly reply: string;
      }
    /** A sink outside of Redis was given a result. */
    | ({ readonly type: 'delivered' } & Count)
    /** User code has thrown, as planned. */
    | { readonly type: 'threw'; readonly place: Place }
    | { readonly type: 'stopping'; readonly budget: number }
    | { readonly type: 'stopped'; readonly took: number }
    /** The job has ended by itself, which nobody had asked of it. */
    | { readonly type: 'failed'; readonly why: string }
  );

export type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>;
