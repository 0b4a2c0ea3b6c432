// Written by `npx nx run @rs/mq:lua` from the Lua files of this folder. Do not edit.
import type { RedisArgument, Script, ScriptCall } from '@rs/redis';

export const acquirePartitionScript: Script = {
  name: 'acquire-partition',
  sha1: '1792124e9d34d9e346bf8f98c22b07605712e5c1',
  resendable: true,
  source: `#!lua flags=allow-oom
local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local function split_id(id)
local ms,seq=string.match(id,'^(%d+)-(%d+)$')
return ms,seq
end
local function less_number(a,b)
if#a~=#b then
return#a<#b
end
return a<b
end
local function less_id(a,b)
local a_ms,a_seq=split_id(a)
local b_ms,b_seq=split_id(b)
if a_ms~=b_ms then
return less_number(a_ms,b_ms)
end
return less_number(a_seq,b_seq)
end
local function last_id(stream)
local info=redis.pcall('XINFO','STREAM',stream)
if info.err then
return'0-0'
end
for at=1,#info,2 do
if info[at]=='last-generated-id'then
return info[at+1]
end
end
return'0-0'
end
local function group_exists(stream,group)
local summary=redis.pcall('XPENDING',stream,group)
if summary.err then
if string.find(summary.err,'NOGROUP',1,true)then
return false
end
error(summary.err)
end
local consumers=summary[4]
return true,consumers and(#consumers>1 or consumers[1][1]~='owner')
end
local function group_position(stream,group)
local delivered,lag
for _,facts in ipairs(redis.call('XINFO','GROUPS',stream))do
local fact={}
for at=1,#facts,2 do
fact[facts[at]]=facts[at+1]
end
if fact.name==group then
delivered,lag=fact['last-delivered-id'],fact.lag
end
end
local about=redis.call('XINFO','STREAM',stream)
local length,first
for at=1,#about,2 do
if about[at]=='length'then
length=about[at+1]
elseif about[at]=='recorded-first-entry-id'then
first=about[at+1]
end
end
local removed=0
if lag and(length==0 or less_id(delivered,first))then
removed=math.max(0,lag-length)
end
return delivered,removed
end
local stream,lease,holds,retries,attempts=KEYS[1],KEYS[2],KEYS[3],KEYS[4],KEYS[5]
local group,token=ARGV[1],ARGV[2]
local ttl=tonumber(ARGV[4])
local now=now_ms()
local current=redis.call('HMGET',lease,'token','until','owner','crashes','low','started','fetched','ttl',
'crashed-at','job')
if current[10]then
return{'JOB',current[10]}
end
local held=current[1]
if held and held~=token then
local left=tonumber(current[2]or'0')-now
local longest=tonumber(current[8]or ttl)
if left>longest then
redis.call('HSET',lease,'until',now+longest)
left=longest
end
if left>0 then
return{'BUSY',left,current[3]or''}
end
end
redis.call('HLEN',holds)
local low,fetched,removed=current[5],nil,0
if group_exists(stream,group)then
low=low or'0-0'
fetched,removed=group_position(stream,group)
else
local last=last_id(stream)
if not low then
low=ARGV[5]
if low=='$'then
low=last
end
elseif less_id(last,low)then
low='0-0'
redis.call('DEL',retries,attempts)
else
local known=redis.call('HGET',lease,'known')
if not known or less_id(known,current[7])then
redis.call('HSET',lease,'known',current[7])
end
for _,id in ipairs(redis.call('HKEYS',attempts))do
if not string.find(id,'^r')and#redis.call('XRANGE',stream,id,id,'COUNT',1)==0 then
redis.call('HDEL',attempts,id)
redis.call('ZREM',retries,id)
end
end
end
redis.call('XGROUP','CREATE',stream,group,low,'MKSTREAM')
fetched=low
end
local crashes=tonumber(current[4]or'0')
local epoch
if held==token then
epoch=redis.call('HGET',lease,'epoch')
else
epoch=redis.call('HINCRBY',lease,'epoch',1)
redis.call('HSET',lease,'seq',0)
if held then
crashes=(current[6]or current[9]==low)and crashes+1 or 1
end
end
redis.call('HSET',lease,'token',token,'until',now+ttl,'ttl',ttl,'owner',ARGV[3],'crashes',crashes,
'crashed-at',low,'low',low,'fetched',fetched)
redis.call('HSET',holds,'g:'..group,low)
return{'OK',tonumber(epoch),low,fetched,crashes>=2 and 1 or 0,current[6]or'',now,removed}`,
};

/** How many keys `acquire-partition` takes. */
export const acquirePartitionKeyCount = 5;

/**
 * Makes a member the owner of one partition for its group, when nobody else is, and sees to it that the group exists.
 *
 * A group that vanished is made again at its low watermark, one that is new where it wants to begin. A stream that was deleted
 * and made anew has lower ids than the group has seen: then the group begins at its start.
 *
 * The server's clock may go back, at the latest with a failover: a lease that would last longer than it was taken for lasts that
 * long from now.
 *
 * **Returns** OK, epoch, low, fetched, crashed (1 when owners crashed here twice or more in a row), started (id or ''), server time, entries
 *     that were removed before the group was given them
 *   BUSY, milliseconds until the lease of the present owner ends, its name
 *   JOB, name of the job that the group belongs to: it has owners of its own
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function acquirePartition(call: {
  readonly keys: {
    /** the partition's log */
    readonly stream: string;
    /** lease and position of the group */
    readonly lease: string;
    /** what retention must keep */
    readonly holds: string;
    /** id → due */
    readonly retries: string;
    /** id → attempts, delay of the retry */
    readonly attempts: string;
  };
  readonly args: {
    /** name of the group */
    readonly group: string;
    /** random, new for each acquisition */
    readonly token: string;
    /** the member, for people */
    readonly owner: string;
    /** milliseconds until the lease ends unless it is renewed */
    readonly ttl: number;
    /** id after which a new group begins, or `$` */
    readonly from: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: acquirePartitionScript,
    keys: [keys.stream, keys.lease, keys.holds, keys.retries, keys.attempts],
    args: [args.group, args.token, args.owner, args.ttl, args.from],
  };
}

export const describeTopicScript: Script = {
  name: 'describe-topic',
  sha1: 'cbe643bc73e6731fb11bc32fbdf4a66fd8d38ad2',
  resendable: true,
  source: `local function topic_facts(meta,status)
local facts=redis.call('HMGET',meta,'partitions','shards','version','createdAt')
return{status,facts[1],facts[2],facts[3],facts[4]}
end
local meta=KEYS[1]
if redis.call('HEXISTS',meta,'partitions')==0 then
return{'UNKNOWN'}
end
return topic_facts(meta,'OK')`,
};

/** How many keys `describe-topic` takes. */
export const describeTopicKeyCount = 1;

/**
 * What a topic has.
 *
 * **Returns** OK, partitions, shards, version, createdAt
 *   UNKNOWN when there is no such topic
 *
 * **Errors** WRONGTYPE when the key holds something else
 */
export function describeTopic(call: {
  readonly keys: {
    /** the topic's metadata */
    readonly meta: string;
  };
}): ScriptCall {
  const { keys } = call;
  return {
    script: describeTopicScript,
    keys: [keys.meta],
    args: [],
  };
}

export const ensureTopicScript: Script = {
  name: 'ensure-topic',
  sha1: 'f9b84ec71ed894d3cbffb2f0856736764fa1b816',
  resendable: true,
  source: `local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local function topic_facts(meta,status)
local facts=redis.call('HMGET',meta,'partitions','shards','version','createdAt')
return{status,facts[1],facts[2],facts[3],facts[4]}
end
local meta=KEYS[1]
if redis.call('HSETNX',meta,'partitions',ARGV[1])==0 then
return topic_facts(meta,'EXISTS')
end
redis.call('HSET',meta,'shards',ARGV[2],'version','1','createdAt',string.format('%.0f',now_ms()))
return topic_facts(meta,'CREATED')`,
};

/** How many keys `ensure-topic` takes. */
export const ensureTopicKeyCount = 1;

/**
 * Creates a topic, unless it exists.
 *
 * **Returns** CREATED | EXISTS, partitions, shards, version, createdAt: what the topic has
 *
 * **Errors** WRONGTYPE when the key holds something else
 */
export function ensureTopic(call: {
  readonly keys: {
    /** the topic's metadata */
    readonly meta: string;
  };
  readonly args: {
    /** of a new topic */
    readonly partitions: number;
    /** of a new topic */
    readonly shards: number;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: ensureTopicScript,
    keys: [keys.meta],
    args: [args.partitions, args.shards],
  };
}

export const fetchEntriesScript: Script = {
  name: 'fetch-entries',
  sha1: 'e3d362f9b4da62b1ac909d2652f028c23227c241',
  resendable: true,
  source: `#!lua flags=allow-oom
local function split_id(id)
local ms,seq=string.match(id,'^(%d+)-(%d+)$')
return ms,seq
end
local function less_number(a,b)
if#a~=#b then
return#a<#b
end
return a<b
end
local function less_id(a,b)
local a_ms,a_seq=split_id(a)
local b_ms,b_seq=split_id(b)
if a_ms~=b_ms then
return less_number(a_ms,b_ms)
end
return less_number(a_seq,b_seq)
end
local MOST=64
local stream,lease,redelivery,retries,attempts=KEYS[1],KEYS[2],KEYS[3],KEYS[4],KEYS[5]
local group,consumer,after,count=ARGV[2],ARGV[3],ARGV[4],tonumber(ARGV[5])
local budget,step=tonumber(ARGV[7]),tonumber(ARGV[8])
local position=redis.call('HMGET',lease,'token','fetched','known','seq')
if position[1]~=ARGV[1]then
return{'FENCED'}
end
local fetched,known=position[2],position[3]
if less_id(fetched,after)or tonumber(position[4])<tonumber(ARGV[9])then
return{'ROLLED_BACK'}
end
local function bytes_of(fields)
local bytes=0
for at=1,#fields do
bytes=bytes+#fields[at]
end
return bytes
end
local again,again_left={},0
if redis.call('EXISTS',redelivery)==1 then
local most,share,from=math.ceil(count/2),budget/2,ARGV[6]
while#again<most and share>0 do
local entry=redis.call('XRANGE',redelivery,'('..from,'+','COUNT',1)[1]
if not entry then
break
end
local name,bytes='r'..entry[1],bytes_of(entry[2])
from,share,budget=entry[1],share-bytes,budget-bytes
entry[3]=redis.call('ZSCORE',retries,name)or''
entry[4]=redis.call('HGET',attempts,name)or''
again[#again+1]=entry
end
if#again>=most or share<=0 then
again_left=1
end
count=count-#again
end
local list,n,m_before={},0,nil
local function append(entries)
local bytes=0
for at=1,#entries do
local entry=entries[at]
local fields=entry[2]
list[n+1]=entry[1]
if#fields==8 and fields[1]=='m'and fields[3]=='k'and fields[5]=='h'and fields[7]=='d'then
local m,k,h,d=fields[2],fields[4],fields[6],fields[8]
list[n+2]=m~=m_before and m
list[n+3]=k~=''and k
list[n+4]=h~=''and h
list[n+5]=d
m_before=m
bytes=bytes+4+#m+#k+#h+#d
else
list[n+2]=fields
list[n+3]=false
list[n+4]=false
list[n+5]=false
bytes=bytes+bytes_of(fields)
end
n=n+5
end
return bytes
end
local facts={}
local function append_facts(entries)
if not less_id(after,known)then
redis.call('HDEL',lease,'known')
known=false
return
end
for _,entry in ipairs(entries)do
local id=entry[1]
local due,failed=redis.call('ZSCORE',retries,id),redis.call('HGET',attempts,id)
if due or failed then
facts[#facts+1]={id,due or'',failed or''}
end
end
end
local function read_all(read)
local last=nil
while count>0 and budget>0 do
local most=math.min(step,count)
local entries=read(most,last)
local found=#entries
if found>0 then
last=entries[found][1]
local bytes=append(entries)
if known then
append_facts(entries)
end
count,budget=count-found,budget-bytes
step=math.max(1,math.min(MOST,step*2,math.ceil(budget*found/math.max(1,bytes))))
end
if found<most then
return last,0
end
end
return last,1
end
if fetched~=after then
local last=read_all(function(most,last)
return redis.call('XRANGE',stream,'('..(last or after),fetched,'COUNT',most)
end)
if last then
return{'OK',list,again,facts,again_left,1}
end
end
local failure
local last,more=read_all(function(most)
local reply=redis.pcall('XREADGROUP','GROUP',group,consumer,'COUNT',most,'STREAMS',stream,'>')
if not reply then
return{}
end
if reply.err then
failure=reply
return{}
end
return reply[1][2]
end)
if failure and not last then
if string.find(failure.err,'NOGROUP',1,true)then
return{'NOGROUP'}
end
return failure
end
if last then
redis.call('HSET',lease,'fetched',last)
end
return{'OK',list,again,facts,again_left,more}`,
};

/** How many keys `fetch-entries` takes. */
export const fetchEntriesKeyCount = 5;

/**
 * Delivers new entries to the owner of a partition, without blocking: only the owner, and only what it has room for.
 *
 * What a call delivered whose reply was lost is pending, and the owner does not know it. It shows by the position: the owner says
 * up to where it has received, and is given what was delivered beyond that before anything new.
 *
 * Nobody knows how large entries are before they are read: so they are read a few at a time until their bytes have used up a budget.
 * One is read always.
 *
 * **Returns** OK, new entries flat: id, m, k, h, d of each (id, all fields, and three times nil for one that is no envelope), where nil
 *     stands for the m of the entry before, and for an empty k or h,
 *   { id, fields, due or '', attempts or '' } of redelivered ones, { id, due or '', attempts or '' } of those new ones
 *     that were tried before the group vanished,
 *     1 when there may be more redelivered ones, 1 when there may be more new ones
 *   FENCED | NOGROUP | ROLLED_BACK when Redis has lost that it delivered what the owner has received, or a settle
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function fetchEntries(call: {
  readonly keys: {
    /** the partition's log */
    readonly stream: string;
    /** lease and position of the group */
    readonly lease: string;
    /** what is delivered to this group again */
    readonly redelivery: string;
    /** id → due */
    readonly retries: string;
    /** id → attempts, delay of the retry */
    readonly attempts: string;
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
    /** name of the group */
    readonly group: string;
    /** name under which owners read */
    readonly consumer: string;
    /** id of the last entry that the owner has received */
    readonly after: string;
    /** entries at most; up to half of them, rounded up, are redelivered ones */
    readonly count: number;
    /** id after which redelivered entries are wanted */
    readonly again: string;
    /** bytes; up to half of them for redelivered ones */
    readonly budget: number;
    /** new entries to read at a time, at first; doubled up to 64 */
    readonly step: number;
    /** number of the last settle that was confirmed to the owner */
    readonly confirmed: number;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: fetchEntriesScript,
    keys: [keys.stream, keys.lease, keys.redelivery, keys.retries, keys.attempts],
    args: [args.token, args.group, args.consumer, args.after, args.count, args.again, args.budget, args.step, args.confirmed],
  };
}

export const growTopicScript: Script = {
  name: 'grow-topic',
  sha1: '31f50e908eaa78805a4eb278d8d5f5e9e4fbb2b2',
  resendable: true,
  source: `local function topic_facts(meta,status)
local facts=redis.call('HMGET',meta,'partitions','shards','version','createdAt')
return{status,facts[1],facts[2],facts[3],facts[4]}
end
local meta=KEYS[1]
local now=redis.call('HMGET',meta,'partitions','grownBy')
if not now[1]then
return{'UNKNOWN'}
end
if now[2]==ARGV[2]then
return topic_facts(meta,'GROWN')
end
if tonumber(ARGV[1])<=tonumber(now[1])then
return topic_facts(meta,'REFUSED')
end
redis.call('HSET',meta,'partitions',ARGV[1],'grownBy',ARGV[2])
redis.call('HINCRBY',meta,'version',1)
return topic_facts(meta,'GROWN')`,
};

/** How many keys `grow-topic` takes. */
export const growTopicKeyCount = 1;

/**
 * Gives a topic more partitions. Its shards stay: those of the streams that exist are part of their keys.
 *
 * **Returns** GROWN | REFUSED, partitions, shards, version, createdAt: what the topic has now; REFUSED when that is as many or more
 *   UNKNOWN when there is no such topic
 *
 * **Errors** WRONGTYPE when the key holds something else
 */
export function growTopic(call: {
  readonly keys: {
    /** the topic's metadata */
    readonly meta: string;
  };
  readonly args: {
    /** more than it has */
    readonly partitions: number;
    /** id of this request, so that it is known again after a lost reply */
    readonly request: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: growTopicScript,
    keys: [keys.meta],
    args: [args.partitions, args.request],
  };
}

export const loadEntriesScript: Script = {
  name: 'load-entries',
  sha1: 'ae0ab105d8eca43045b0f78d57ad960778c02afd',
  resendable: true,
  source: `local stream=KEYS[1]
local budget=tonumber(ARGV[1])
local entries={}
for at=2,#ARGV do
if budget<=0 then
break
end
local found=redis.call('XRANGE',stream,ARGV[at],ARGV[at],'COUNT',1)[1]
local fields=false
if found then
fields=found[2]
for field=2,#fields,2 do
budget=budget-#fields[field]
end
end
entries[at-1]={ARGV[at],fields}
end
return entries`,
};

/** How many keys `load-entries` takes. */
export const loadEntriesKeyCount = 1;

/**
 * Reads entries that are pending, in the order given, until their bodies have used up a budget; the first one always.
 *
 * **Returns** { id, fields } of each entry read, fields = false when the stream no longer has it; what is not listed did not fit
 *
 * **Errors** WRONGTYPE when the key holds something else
 */
export function loadEntries(call: {
  readonly keys: {
    /** the partition's log */
    readonly stream: string;
  };
  readonly args: {
    /** bytes */
    readonly budget: number;
    /** 1,000 at most */
    readonly ids: readonly string[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: loadEntriesScript,
    keys: [keys.stream],
    args: [args.budget, ...args.ids],
  };
}

export const meetGroupScript: Script = {
  name: 'meet-group',
  sha1: 'de19e87f9bfa51238143fe07d05e416e0c20428c',
  resendable: true,
  source: `#!lua flags=allow-oom
local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local meta,members=KEYS[1],KEYS[2]
local now=now_ms()
local ttl=tonumber(ARGV[3])
local counts=redis.call('HMGET',meta,'partitions','shards','job:'..ARGV[4])
if not counts[1]and ttl>0 then
return{'UNKNOWN'}
end
if counts[3]and ttl>0 then
return{'JOB',counts[3]}
end
if ttl>0 then
redis.call('HSET',members,ARGV[1],string.format('%.0f %.0f %s',now+ttl,ttl,ARGV[2]))
else
redis.call('HDEL',members,ARGV[1])
end
if not counts[1]then
return{'UNKNOWN'}
end
local alive={}
local all=redis.call('HGETALL',members)
for at=1,#all,2 do
local deadline,lasts,facts=string.match(all[at+1],'^(%d+) (%d+) (.*)$')
local left,longest=tonumber(deadline)-now,tonumber(lasts)
if left>longest then
redis.call('HSET',members,all[at],string.format('%.0f %s %s',now+longest,lasts,facts))
left=longest
end
if left>0 then
alive[#alive+1]={all[at],left,facts}
else
redis.call('HDEL',members,all[at])
end
end
return{'OK',tonumber(counts[1]),tonumber(counts[2]),alive}`,
};

/** How many keys `meet-group` takes. */
export const meetGroupKeyCount = 2;

/**
 * Says that a member of a group is there, what it owns, and learns who else is.
 *
 * The server's clock may go back, at the latest with a failover: nobody counts as alive for longer than it said, from now.
 *
 * **Returns** OK, partitions, shards, { member, milliseconds left, facts } of each member alive
 *   UNKNOWN when there is no such topic
 *   JOB, name of the job that the group belongs to: it has no members
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function meetGroup(call: {
  readonly keys: {
    /** the topic's metadata */
    readonly meta: string;
    /** member → time until which it counts as alive, its ttl, and what it says of itself, with spaces between */
    readonly members: string;
  };
  readonly args: {
    /** id of the member, unique per start */
    readonly member: string;
    /** what it says of itself; '' when it leaves */
    readonly facts: string;
    /** milliseconds until it counts as gone unless it comes again; 0 when it leaves */
    readonly ttl: number;
    /** name of the group */
    readonly group: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: meetGroupScript,
    keys: [keys.meta, keys.members],
    args: [args.member, args.facts, args.ttl, args.group],
  };
}

export const produceScript: Script = {
  name: 'produce',
  sha1: '2178069bce80da8031d613d272d7245063f8bb0c',
  resendable: true,
  source: `local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local stream,pid=KEYS[1],KEYS[2]
local producer,first=ARGV[1],tonumber(ARGV[2])
local messages=(#ARGV-2)/4
if messages<1 or messages%1~=0 then
return redis.error_reply('ERR produce needs four fields per message')
end
local last=first+messages-1
local before=redis.call('HGET',pid,producer)
if before then
local stored_last,stored_first,ms,seq=string.match(before,'^(%d+),(%d+),(%d+),(%d+)$')
if tonumber(stored_last)>=first then
if tonumber(stored_first)==first and tonumber(stored_last)==last then
return{'DUP',ms,seq}
end
return{'STALE',stored_last}
end
end
local id=redis.call('XADD',stream,'*','m',ARGV[3],'k',ARGV[4],'h',ARGV[5],'d',ARGV[6])
local ms,seq=string.match(id,'^(%d+)-(%d+)$')
local same_ms=ms..'-*'
for at=7,#ARGV,4 do
redis.call('XADD',stream,same_ms,'m',ARGV[at],'k',ARGV[at+1],'h',ARGV[at+2],'d',ARGV[at+3])
end
if not before and redis.call('HLEN',pid)>64 then
local old=now_ms()-3600000
local sample=redis.call('HRANDFIELD',pid,64,'WITHVALUES')
for at=1,#sample,2 do
if tonumber(string.match(sample[at+1],',(%d+),%d+$'))<old then
redis.call('HDEL',pid,sample[at])
end
end
end
redis.call('HSET',pid,producer,string.format('%.0f,%.0f,%s,%s',last,first,ms,seq))
return{'OK',ms,seq}`,
};

/** How many keys `produce` takes. */
export const produceKeyCount = 2;

/**
 * Appends a batch of messages to a partition, once: a batch that is already there is answered with the ids it has.
 *
 * The messages of a batch get consecutive ids, so the first one says them all. What a producer sends again must be the same batch; what
 * it sends after another batch must have higher sequences, gaps are allowed.
 *
 * **Returns** OK, ms, seq      written: the id of the first message
 *   DUP, ms, seq     written before: the id it has
 *   STALE, last      not written: the producer has sent another batch with this sequence or a higher one
 *
 * **Errors** WRONGTYPE when a key holds something else, ERR when the fields are not complete; nothing is written
 */
export function produce(call: {
  readonly keys: {
    /** the partition's log */
    readonly stream: string;
    /** producer → last sequence, first sequence, first id (ms and seq) of its last batch, with commas between */
    readonly pid: string;
  };
  readonly args: {
    /** id of the producer, unique */
    readonly producer: string;
    /** sequence of the first message; the others follow on it */
    readonly sequence: number;
    /** the fields m, k, h and d of each message */
    readonly fields: readonly (string | Uint8Array)[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: produceScript,
    keys: [keys.stream, keys.pid],
    args: [args.producer, args.sequence, ...args.fields],
  };
}

export const readDeadLettersScript: Script = {
  name: 'read-dead-letters',
  sha1: '951329a32bf0447b3ecd6556c243ccf1abb6c824',
  resendable: true,
  source: `local dead=KEYS[1]
local after,last=ARGV[1],ARGV[2]
local budget,group,reason=tonumber(ARGV[4]),ARGV[5],ARGV[6]
local found={}
if last==''then
local newest=redis.call('XREVRANGE',dead,'+','-','COUNT',1)[1]
if not newest then
return{'','',0,found}
end
last=newest[1]
end
local looked=0
for _=1,tonumber(ARGV[3])do
if budget<=0 then
break
end
local entry=redis.call('XRANGE',dead,'('..after,last,'COUNT',1)[1]
if not entry then
return{last,'',looked,found}
end
looked=looked+1
after=entry[1]
local fields=entry[2]
for field=2,#fields,2 do
budget=budget-#fields[field]
end
if(group==''or fields[4]==group)and(reason==''or fields[10]==reason)then
if ARGV[7]=='facts'then
entry[2]={unpack(fields,1,12)}
end
found[#found+1]=entry
end
end
return{last,after,looked,found}`,
};

/** How many keys `read-dead-letters` takes. */
export const readDeadLettersKeyCount = 1;

/**
 * Reads dead letters of one partition in order, until so many have been looked at or their bytes have used up a budget; one is
 * looked at always.
 *
 * **Returns** id of the last one that may be read, id of the last one looked at ('' when there are no more), how many were looked at,
 *   { id, fields } of those that were wanted
 *
 * **Errors** WRONGTYPE when the key holds something else
 */
export function readDeadLetters(call: {
  readonly keys: {
    /** dead letters of the partition */
    readonly dead: string;
  };
  readonly args: {
    /** id after which to begin, 0-0 for the first */
    readonly after: string;
    /** id of the last one that may be read, '' for the last one there is now */
    readonly last: string;
    /** dead letters to look at */
    readonly count: number;
    /** bytes */
    readonly budget: number;
    /** only those of this group, '' for all */
    readonly group: string;
    /** only those with this reason, '' for all */
    readonly reason: string;
    /** all, or facts: without the message */
    readonly parts: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: readDeadLettersScript,
    keys: [keys.dead],
    args: [args.after, args.last, args.count, args.budget, args.group, args.reason, args.parts],
  };
}

export const releasePartitionScript: Script = {
  name: 'release-partition',
  sha1: 'b8eb3f3895a813ad96cd9452ea8c8f4a2d60c0e8',
  resendable: true,
  source: `#!lua flags=allow-oom
local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local lease=KEYS[1]
if not is_owner(lease,ARGV[1])then
return 0
end
redis.call('HDEL',lease,'token','until','ttl','owner','crashes','crashed-at','started')
return 1`,
};

/** How many keys `release-partition` takes. */
export const releasePartitionKeyCount = 1;

/**
 * Gives a lease back, so that the next owner need not wait for its end nor suspect a crash.
 *
 * **Returns** 1, or 0 when somebody else holds it
 *
 * **Errors** WRONGTYPE when the key holds something else
 */
export function releasePartition(call: {
  readonly keys: {
    /** lease and position of the group */
    readonly lease: string;
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: releasePartitionScript,
    keys: [keys.lease],
    args: [args.token],
  };
}

export const removeDeadLettersScript: Script = {
  name: 'remove-dead-letters',
  sha1: '7cba9bec364da82a36a630d2ca79f80b0adb1c0c',
  resendable: true,
  source: `#!lua flags=allow-oom
local function answer_before(request)
local before=redis.call('GET',request)
return before and tonumber(before)
end
local function remember_answer(request,answer)
redis.call('SET',request,answer,'PX',600000)
return answer
end
local dead,request=KEYS[1],KEYS[2]
local before=answer_before(request)
if before then
return before
end
return remember_answer(request,redis.call('XDEL',dead,unpack(ARGV,1,#ARGV)))`,
};

/** How many keys `remove-dead-letters` takes. */
export const removeDeadLettersKeyCount = 2;

/**
 * Removes dead letters of one partition for good.
 *
 * **Returns** number of dead letters that this request removed; the others are gone
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function removeDeadLetters(call: {
  readonly keys: {
    /** dead letters of the partition */
    readonly dead: string;
    /** what this request has done */
    readonly request: string;
  };
  readonly args: {
    /** ids of dead letters, 1,000 at most */
    readonly ids: readonly string[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: removeDeadLettersScript,
    keys: [keys.dead, keys.request],
    args: [...args.ids],
  };
}

export const renewLeasesScript: Script = {
  name: 'renew-leases',
  sha1: 'cef2883cb675b1ef2d3dba5d4608f9108e3b3fe6',
  resendable: true,
  source: `#!lua flags=allow-oom
local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local renewed={}
local ttl=ARGV[1]
local deadline=now_ms()+tonumber(ttl)
for at=1,#KEYS do
if is_owner(KEYS[at],ARGV[at+1])then
redis.call('HSET',KEYS[at],'until',deadline,'ttl',ttl)
renewed[at]=1
else
renewed[at]=0
end
end
return renewed`,
};

/** How many keys `renew-leases` takes; any number of `leases` comes on top. */
export const renewLeasesKeyCount = 0;

/**
 * Extends the leases of an owner. One that is not the owner's any more is left as it is.
 *
 * **Returns** for each lease 1, or 0 when somebody else holds it
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function renewLeases(call: {
  readonly keys: {
    /** leases of one group or several */
    readonly leases: readonly string[];
  };
  readonly args: {
    /** milliseconds from now */
    readonly ttl: number;
    /** the owner's token of each lease */
    readonly tokens: readonly string[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: renewLeasesScript,
    keys: [...keys.leases],
    args: [args.ttl, ...args.tokens],
  };
}

export const replayDeadLettersScript: Script = {
  name: 'replay-dead-letters',
  sha1: '210ad3f5069337f5177409f775ec321729e12ce2',
  resendable: true,
  source: `local function answer_before(request)
local before=redis.call('GET',request)
return before and tonumber(before)
end
local function remember_answer(request,answer)
redis.call('SET',request,answer,'PX',600000)
return answer
end
local dead,redelivery,request=KEYS[1],KEYS[2],KEYS[3]
local job=redis.call('HGET',KEYS[4],'job')
if job then
return job
end
local before=answer_before(request)
if before then
return before
end
redis.call('XLEN',redelivery)
local moved=0
for at=2,#ARGV do
local entry=redis.call('XRANGE',dead,ARGV[at],ARGV[at],'COUNT',1)[1]
if entry and entry[2][3]=='g'and entry[2][4]==ARGV[1]then
local fields=entry[2]
redis.call('XADD',redelivery,'*','o',fields[2],unpack(fields,13,#fields))
redis.call('XDEL',dead,ARGV[at])
moved=moved+1
end
end
return remember_answer(request,moved)`,
};

/** How many keys `replay-dead-letters` takes. */
export const replayDeadLettersKeyCount = 4;

/**
 * Moves dead letters of one partition to what their group is delivered again: their message as it was, with new attempts.
 *
 * **Returns** number of dead letters that this request moved; the others are gone or of another group
 *   name of the job, as text, when the group is a job's, which reads nothing that is redelivered; nothing was moved
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function replayDeadLetters(call: {
  readonly keys: {
    /** dead letters of the partition */
    readonly dead: string;
    /** what is delivered to the group again */
    readonly redelivery: string;
    /** what this request has done */
    readonly request: string;
    /** lease of the group: says whether it is a job's */
    readonly lease: string;
  };
  readonly args: {
    /** only dead letters of this group are moved */
    readonly group: string;
    /** ids of dead letters */
    readonly ids: readonly string[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: replayDeadLettersScript,
    keys: [keys.dead, keys.redelivery, keys.request, keys.lease],
    args: [args.group, ...args.ids],
  };
}

export const settleMessagesScript: Script = {
  name: 'settle-messages',
  sha1: 'cd436d34c2049e846dc8eeffa31c82258cac6f79',
  resendable: true,
  source: `#!lua flags=allow-oom
local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local function split_id(id)
local ms,seq=string.match(id,'^(%d+)-(%d+)$')
return ms,seq
end
local function less_number(a,b)
if#a~=#b then
return#a<#b
end
return a<b
end
local function less_id(a,b)
local a_ms,a_seq=split_id(a)
local b_ms,b_seq=split_id(b)
if a_ms~=b_ms then
return less_number(a_ms,b_ms)
end
return less_number(a_seq,b_seq)
end
local function group_exists(stream,group)
local summary=redis.pcall('XPENDING',stream,group)
if summary.err then
if string.find(summary.err,'NOGROUP',1,true)then
return false
end
error(summary.err)
end
local consumers=summary[4]
return true,consumers and(#consumers>1 or consumers[1][1]~='owner')
end
local stream,lease,holds,retries,attempts,dead,redelivery=KEYS[1],KEYS[2],KEYS[3],KEYS[4],KEYS[5],KEYS[6],KEYS[7]
local group,seq,low,started=ARGV[2],tonumber(ARGV[3]),ARGV[4],ARGV[5]
local before=redis.call('HMGET',lease,'token','seq','low')
if before[1]~=ARGV[1]then
return{'FENCED'}
end
local executed,stored=tonumber(before[2]),before[3]
if seq<=executed then
return{'OK',0}
end
if seq>executed+1 then
return{'ROLLED_BACK'}
end
local exists,foreign=group_exists(stream,group)
if not exists then
return{'NOGROUP'}
end
if foreign then
return{'FOREIGN'}
end
local now=now_ms()
local at=6
local function length()
local n=tonumber(ARGV[at])
at=at+1
return n
end
local function next_argument()
at=at+1
return ARGV[at-1]
end
local acknowledged=length()
redis.call('HLEN',holds)
if#ARGV>at+acknowledged+3 then
redis.call('XLEN',redelivery)
redis.call('ZCARD',retries)
redis.call('HLEN',attempts)
redis.call('XLEN',dead)
end
for first=at,at+acknowledged-1,1000 do
redis.call('XACK',stream,group,unpack(ARGV,first,math.min(first+999,at+acknowledged-1)))
end
at=at+acknowledged
local done=length()
for first=at,at+done-1,1000 do
redis.call('XDEL',redelivery,unpack(ARGV,first,math.min(first+999,at+done-1)))
end
at=at+done
for _=1,length()do
local id=next_argument()
redis.call('ZREM',retries,id)
redis.call('HDEL',attempts,id)
end
for _=1,length()do
local id,failed,delay=next_argument(),next_argument(),next_argument()
redis.call('ZADD',retries,now+tonumber(delay),id)
redis.call('HSET',attempts,id,failed..' '..delay)
end
local written=0
for _=1,length()do
local id,original,failed,reason,error_text=next_argument(),next_argument(),next_argument(),next_argument(),next_argument()
local fields=length()
local removed
if string.sub(id,1,1)=='r'then
removed=redis.call('XDEL',redelivery,string.sub(id,2))
else
removed=redis.call('XACK',stream,group,id)
end
if removed==1 then
redis.call('XADD',dead,'*','o',original,'g',group,'n',failed,'t',now,'r',reason,'e',error_text,
unpack(ARGV,at,at+fields-1))
written=written+1
end
redis.call('ZREM',retries,id)
redis.call('HDEL',attempts,id)
at=at+fields
end
if not stored or less_id(stored,low)then
redis.call('HSET',lease,'seq',seq,'low',low)
redis.call('HSET',holds,'g:'..group,low)
else
redis.call('HSET',lease,'seq',seq)
end
if started=='-'then
redis.call('HDEL',lease,'started','crashes','crashed-at')
elseif started==''then
redis.call('HDEL',lease,'started')
elseif started~='='then
redis.call('HSET',lease,'started',started)
end
return{'OK',written}`,
};

/** How many keys `settle-messages` takes. */
export const settleMessagesKeyCount = 7;

/**
 * Writes down how messages ended, all at once: acknowledged, to be retried, dead. Only the owner of the partition may.
 *
 * The calls of an owner are numbered. One that was executed before does nothing, also when it comes late, after others: so the same
 * call can be sent again. When numbers are missing, Redis has lost calls that it had confirmed.
 *
 * **Returns** OK, number of dead letters written (0 when the call was executed before)
 *   FENCED | NOGROUP | FOREIGN | ROLLED_BACK
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function settleMessages(call: {
  readonly keys: {
    /** the partition's log */
    readonly stream: string;
    /** lease and position of the group */
    readonly lease: string;
    /** what retention must keep */
    readonly holds: string;
    /** id → due */
    readonly retries: string;
    /** id → attempts, delay of the retry */
    readonly attempts: string;
    /** dead letters of the partition */
    readonly dead: string;
    /** what is delivered to this group again */
    readonly redelivery: string;
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
    /** name of the group */
    readonly group: string;
    /** number of this call since the partition was acquired, from 1 */
    readonly seq: number;
    /** low watermark: everything up to it is settled */
    readonly low: string;
    /** the entry whose handler is about to start, '' for none, - for none and the crashes are dealt with, = for no change */
    readonly started: string;
    /**
     * five lists, each its length and then its elements: acknowledged ids; redelivered ids that are done; ids whose
     * retries and attempts are forgotten; retries: id, attempts so far, delay in milliseconds;
     * dead: id, original id, attempts, reason, error, number of fields, fields of the entry. An id
     * of a redelivered entry begins with r except in the second list
     */
    readonly outcomes: readonly RedisArgument[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: settleMessagesScript,
    keys: [keys.stream, keys.lease, keys.holds, keys.retries, keys.attempts, keys.dead, keys.redelivery],
    args: [args.token, args.group, args.seq, args.low, args.started, ...args.outcomes],
  };
}

export const takeOverPendingScript: Script = {
  name: 'take-over-pending',
  sha1: '9822b7f9b529d73e38d6014b55ff5db57f6deac6',
  resendable: true,
  source: `#!lua flags=allow-oom
local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local function group_exists(stream,group)
local summary=redis.pcall('XPENDING',stream,group)
if summary.err then
if string.find(summary.err,'NOGROUP',1,true)then
return false
end
error(summary.err)
end
local consumers=summary[4]
return true,consumers and(#consumers>1 or consumers[1][1]~='owner')
end
local stream,lease,retries,attempts=KEYS[1],KEYS[2],KEYS[3],KEYS[4]
local group,consumer=ARGV[2],ARGV[3]
if not is_owner(lease,ARGV[1])then
return{'FENCED'}
end
if not group_exists(stream,group)then
return{'NOGROUP'}
end
local page=redis.call('XAUTOCLAIM',stream,group,consumer,0,ARGV[4],'COUNT',ARGV[5],'JUSTID')
local entries={}
for at,id in ipairs(page[2])do
entries[at]={id,redis.call('ZSCORE',retries,id)or'',redis.call('HGET',attempts,id)or''}
end
for _,id in ipairs(page[3])do
redis.call('ZREM',retries,id)
redis.call('HDEL',attempts,id)
end
if page[1]=='0-0'then
for _,facts in ipairs(redis.call('XINFO','CONSUMERS',stream,group))do
local name,pending
for at=1,#facts,2 do
if facts[at]=='name'then
name=facts[at+1]
elseif facts[at]=='pending'then
pending=facts[at+1]
end
end
if name~=consumer and pending==0 then
redis.call('XGROUP','DELCONSUMER',stream,group,name)
end
end
end
return{'OK',page[1],entries,page[3]}`,
};

/** How many keys `take-over-pending` takes. */
export const takeOverPendingKeyCount = 4;

/**
 * Makes the owner the consumer of what was delivered and is not settled, one page at a time and in order, and tells what is
 * known of it. Entries that the stream no longer has leave the list for good.
 *
 * **Returns** OK, next cursor (0-0 at the end), { id, due or '', attempts or '' } of each entry, ids that are gone
 *   FENCED | NOGROUP
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function takeOverPending(call: {
  readonly keys: {
    /** the partition's log */
    readonly stream: string;
    /** lease and position of the group */
    readonly lease: string;
    /** id → due */
    readonly retries: string;
    /** id → attempts, delay of the retry */
    readonly attempts: string;
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
    /** name of the group */
    readonly group: string;
    /** name under which owners read */
    readonly consumer: string;
    /** 0-0, or what the page before returned */
    readonly cursor: string;
    /** entries per page, 1,000 at most */
    readonly count: number;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: takeOverPendingScript,
    keys: [keys.stream, keys.lease, keys.retries, keys.attempts],
    args: [args.token, args.group, args.consumer, args.cursor, args.count],
  };
}

/** All scripts, in the order of their names: for loading them at start. */
export const SCRIPTS: readonly Script[] = [
  acquirePartitionScript,
  describeTopicScript,
  ensureTopicScript,
  fetchEntriesScript,
  growTopicScript,
  loadEntriesScript,
  meetGroupScript,
  produceScript,
  readDeadLettersScript,
  releasePartitionScript,
  removeDeadLettersScript,
  renewLeasesScript,
  replayDeadLettersScript,
  settleMessagesScript,
  takeOverPendingScript,
];
