import type { RedisClient, RedisReply } from '@rs/redis';
import { meetGroup } from '../../lua/scripts.generated.ts';
import type { AssignmentMember } from '../assignment/assign.ts';
import type { Pin } from '../assignment/pin.ts';
import { unknownTopic } from '../../topics/topic-info.ts';
import { groupOfJob } from '../group-of-job.ts';

export interface Meeting {
  readonly partitions: number;
  readonly shards: number;
  readonly members: readonly AssignmentMember[];
  /** Milliseconds until the first of the other members counts as gone. */
  readonly firstExpiry: number | undefined;
}

export interface GroupMeetingOptions {
  readonly client: RedisClient;
  readonly topic: string;
  readonly group: string;
  readonly keys: { readonly meta: string; readonly members: string };
  readonly member: string;
  readonly pin: Pin | undefined;
  /** Milliseconds that a member counts as alive. */
  readonly ttl: number;
}

/** Where the members of a group on one topic tell each other that they are there, and what they own. */
export class GroupMeeting {
  readonly #options: GroupMeetingOptions;

  constructor(options: GroupMeetingOptions) {
    this.#options = options;
  }

  /**
   * @param unable partitions that this member cannot take at the moment
   * @throws RsError `RS_UNKNOWN_TOPIC`; `RS_GROUP_OF_JOB` for a group that is a job's
   */
  async attend(owned: readonly number[], unable: readonly number[]): Promise<Meeting> {
    const { client, topic, group, keys, member, pin, ttl } = this.#options;
    const facts = JSON.stringify({
      owned,
      ...(unable.length === 0 ? {} : { unable }),
      ...(pin === undefined ? {} : { pin }),
    });
    const reply = (await client.run(
      meetGroup({ keys, args: { member, facts, ttl, group } }),
    )) as readonly RedisReply[];
    if (reply[0] === 'JOB') throw groupOfJob(topic, group, String(reply[1]));
    if (reply[0] !== 'OK') throw unknownTopic(topic);
    let firstExpiry: number | undefined;
    const members = (reply[3] as readonly (readonly [string, number, string])[]).map(([id, left, said]) => {
      if (id !== member) firstExpiry = Math.min(firstExpiry ?? left, left);
      return { id, ...readFacts(said) };
    });
    return { partitions: Number(reply[1]), shards: Number(reply[2]), members, firstExpiry };
  }

  async leave(): Promise<void> {
    const { client, keys, member, group } = this.#options;
    await client.run(meetGroup({ keys, args: { member, facts: '', ttl: 0, group } }));
  }
}

/** Members of another version may say more or less: what cannot be read counts as nothing owned. */
function readFacts(said: string): Omit<AssignmentMember, 'id'> {
  try {
    const { owned, unable, pin } = JSON.parse(said) as { owned?: unknown; unable?: unknown; pin?: Pin };
    return { owned: numbersOf(owned), unable: numbersOf(unable), ...(pin === undefined ? {} : { pin }) };
  } catch {
    return { owned: [] };
  }
}

function numbersOf(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((each): each is number => Number.isSafeInteger(each)) : [];
}
