import type { Stamped } from '../../journal/journal.ts';
import type { ProcessEntry } from '../../journal/process-entry.ts';
import type { MessageName } from '../load/plan.ts';

/**
 * How a handler's work on a message ended: `again` for one that a batch handler put off behind another of its key that
 * failed, without working on it.
 */
export type Result = 'done' | 'failed' | 'dead' | 'again';

/** Where a message lies. */
export interface Position {
  readonly partition: number;
  readonly id: string;
}

/** What happens to a process, as it writes it down itself. */
export type Entry = ProcessEntry | MqEntry;

type MqEntry = Stamped &
  (
    | { readonly type: 'closing'; readonly budget: number }
    | {
        readonly type: 'closed';
        readonly took: number;
        readonly abandoned: number;
        readonly unreleased: number;
      }
    | ({ readonly type: 'send' } & MessageName)
    | ({ readonly type: 'confirmed' } & MessageName & Position)
    | ({ readonly type: 'refused'; readonly code: string; readonly fate: string } & MessageName)
    | { readonly type: 'acquired'; readonly partition: number; readonly epoch: number }
    | { readonly type: 'released'; readonly partition: number }
    /** `refusal`: what Redis answered, when it is that by which the loss was noticed. */
    | { readonly type: 'lost'; readonly partition: number; readonly refusal: string; readonly why: string }
    /** `called`: when the handler was called; a batch handler comes to its later messages later. */
    | ({
        readonly type: 'start';
        readonly called: number;
        readonly epoch: number;
        readonly attempt: number;
      } & Position)
    | ({
        readonly type: 'end';
        readonly epoch: number;
        readonly result: Result;
        readonly aborted: boolean;
      } & Position)
    /** What a handler was given is not what was sent. */
    | ({ readonly type: 'corrupt'; readonly what: string } & Position)
    /** Entries were gone before they were handled. */
    | { readonly type: 'gone'; readonly partition: number; readonly ids: readonly string[] }
  );

export type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>;
