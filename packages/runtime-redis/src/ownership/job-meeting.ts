import { RsError } from '@rs/core';
import type { RedisClient, RedisReply, ScriptCall } from '@rs/redis';
import type { JobKeys } from '../keys/job-keys.ts';
import { joinJob, meetJob } from '../lua/scripts.generated.ts';
import { type MemberFacts, readFacts, writeFacts } from './member-facts.ts';

export interface JobMember extends MemberFacts {
  /** Unique per start. */
  readonly id: string;
}

export interface Meeting {
  readonly type: 'met';
  readonly members: readonly JobMember[];
  /** Milliseconds until the first of the other members counts as gone. */
  readonly firstExpiry: number | undefined;
  /** All tasks that have ended, as `task:partition`; `undefined` when there are no others than the member knows of. */
  readonly ended: readonly string[] | undefined;
}

/** `other`: the job is made of something else by now. `lost`: nobody knows any more what it is made of. */
export type MeetReply = Meeting | { readonly type: 'other' } | { readonly type: 'lost' };

export type JoinReply =
  /** `ends`: as they were fixed. */
  | { readonly type: 'joined'; readonly ends: string }
  | { readonly type: 'changed' }
  | { readonly type: 'live'; readonly members: readonly string[] };

/** What a job is made of: a text and what names it. */
export interface StoredManifest {
  readonly hash: string;
  readonly text: string;
}

export interface JobMeetingOptions {
  readonly client: Pick<RedisClient, 'run' | 'command'>;
  readonly keys: JobKeys;
  readonly member: string;
  /** Milliseconds that a member counts as alive. */
  readonly ttl: number;
}

/** Where the processes of a job tell each other that they are there and what they own. Scripts and replies, nothing decided. */
export class JobMeeting {
  readonly #options: JobMeetingOptions;

  constructor(options: JobMeetingOptions) {
    this.#options = options;
  }

  /** What the job is made of, and where its bounded sources end; `undefined` for a job that was never started. */
  async manifest(): Promise<(StoredManifest & { readonly ends: string }) | undefined> {
    const { client, keys } = this.#options;
    const reply = await client.command(
      { name: 'HMGET', args: [keys.manifest, 'hash', 'text', 'ends'] },
      { key: keys.manifest },
    );
    const [hash, text, ends] = list(reply);
    if (hash === null || text === null || ends === null) return undefined;
    return { hash: textOf(hash), text: textOf(text), ends: textOf(ends) };
  }

  /**
   * Becomes a member of the job.
   *
   * @param known hash of the manifest that `own` was compared with; `''` for none
   * @param ends where bounded sources end: what was fixed for those that there were, and its own for new ones
   */
  async join(own: StoredManifest, known: string, ends: string): Promise<JoinReply> {
    const { client, keys, member, ttl } = this.#options;
    const { members, manifest } = keys;
    const facts = writeFacts({ owned: {}, unable: {} });
    const reply = await this.#run(
      client,
      joinJob({
        keys: { members, manifest },
        args: { member, facts, ttl, known, hash: own.hash, text: own.text, ends },
      }),
    );
    switch (textOf(reply[0])) {
      case 'OK':
        return { type: 'joined', ends: textOf(reply[1]) };
      case 'CHANGED':
        return { type: 'changed' };
      default:
        return { type: 'live', members: list(reply[1]).map(textOf) };
    }
  }

  /**
   * @param hash of the manifest that this member works by
   * @param known how many ended tasks it knows of
   * @param ends tasks that have ended, as `task:partition`
   */
  async attend(said: MemberFacts, hash: string, known: number, ends: readonly string[]): Promise<MeetReply> {
    const { client, keys, member, ttl } = this.#options;
    const facts = writeFacts(said);
    const reply = await this.#run(
      client,
      meetJob({ keys: { ...keys }, args: { member, facts, ttl, hash, known, ends } }),
    );
    const status = textOf(reply[0]);
    if (status === 'OTHER') return { type: 'other' };
    if (status === 'LOST') return { type: 'lost' };
    let firstExpiry: number | undefined;
    const members = list(reply[1]).map((each) => {
      const [id, left, facts] = list(each);
      if (textOf(id) !== member) firstExpiry = Math.min(firstExpiry ?? Infinity, Number(left));
      return { id: textOf(id), ...readFacts(textOf(facts)) };
    });
    const ended = list(reply[2]).map(textOf);
    return { type: 'met', members, firstExpiry, ended: ended.length === 0 ? undefined : ended };
  }

  async leave(hash: string, ends: readonly string[]): Promise<void> {
    const { client, keys, member } = this.#options;
    await this.#run(
      client,
      meetJob({ keys: { ...keys }, args: { member, facts: '', ttl: 0, hash, known: 0, ends } }),
    );
  }

  async #run(client: JobMeetingOptions['client'], call: ScriptCall): Promise<readonly RedisReply[]> {
    return list(await client.run(call));
  }
}

function list(reply: RedisReply | undefined): readonly RedisReply[] {
  if (Array.isArray(reply)) return reply as readonly RedisReply[];
  throw unexpected(reply);
}

function textOf(reply: RedisReply | undefined): string {
  if (typeof reply === 'string') return reply;
  throw unexpected(reply);
}

function unexpected(reply: unknown): RsError {
  return new RsError('RS_REDIS_REPLY', 'a script of @rs/runtime-redis got a reply that it cannot read', {
    details: { reply },
  });
}
