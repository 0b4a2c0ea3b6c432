import { isRsError } from '@rs/core';
import type { RedisReply } from '@rs/redis';
import type { Journal } from '../../journal/journal.ts';
import type { Entry } from '../history/entry.ts';
import { type Call, partitionOfCall } from './call.ts';

/** Writes down what Redis answers to those who own partitions, or believe so. */
export function note(journal: Journal<Entry>, call: Call, reply: RedisReply): void {
  const [word] = Array.isArray(reply) ? (reply as readonly RedisReply[]) : [reply];
  const partition = partitionOfCall(call);
  const [token = '', second = '', , offset = ''] = call.args;
  if (call.name === 'commit-task') {
    const told = isRsError(reply) ? `${reply.code} ${reply.message}` : String(word);
    journal.write({ type: 'commit', partition, token, seq: Number(second), offset, reply: told });
  } else if (call.name === 'acquire-task' && String(word) === 'OK') {
    const [, epoch, , , , facts] = reply as readonly RedisReply[];
    const committed = factsOf(facts);
    const [seq, at = ''] = [Number(committed.get('seq')), committed.get('offset')];
    journal.write({ type: 'acquired', partition, token, epoch: Number(epoch), seq, offset: at });
  } else if (call.name === 'release-task' && !isRsError(reply)) {
    journal.write({ type: 'released', partition, token });
  }
}

function factsOf(flat: RedisReply | undefined): Map<string, string> {
  const texts = Array.isArray(flat) ? flat.map(String) : [];
  return new Map(texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1] ?? '']] : [])));
}
