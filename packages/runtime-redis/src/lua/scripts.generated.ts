// Written by `npx nx run @rs/runtime-redis:lua` from the Lua files of this folder. Do not edit.
import type { RedisArgument, Script, ScriptCall } from '@rs/redis';

export const acquireTaskScript: Script = {
  name: 'acquire-task',
  sha1: '45bfa3a57d03ee02d21f410e577f70cb7fa7e807',
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
local function lease_left(lease,token,now,ttl)
local held=redis.call('HMGET',lease,'token','until','ttl','owner')
if not held[1]or held[1]==token then
return 0,''
end
local left,longest=tonumber(held[2]or'0')-now,tonumber(held[3]or ttl)
if left>longest then
redis.call('HSET',lease,'until',now+longest)
left=longest
end
return math.max(0,left),held[4]or''
end
local function log_facts(log)
local facts={length=0,added=0,first='0-0',last='0-0',deleted='0-0'}
if redis.call('XLEN',log)==0 and redis.call('EXISTS',log)==0 then
return facts
end
local info=redis.call('XINFO','STREAM',log)
for at=1,#info,2 do
local name,value=info[at],info[at+1]
if name=='length'then
facts.length=value
elseif name=='entries-added'then
facts.added=value
elseif name=='recorded-first-entry-id'then
facts.first=value
elseif name=='last-generated-id'then
facts.last=value
elseif name=='max-deleted-entry-id'then
facts.deleted=value
end
end
return facts
end
local function entries_up_to(facts,id)
if not less_id(id,facts.last)then
return facts.added
end
if facts.length==0 or less_id(id,facts.first)then
return facts.added-facts.length
end
return nil
end
local function group_facts(log,group)
if redis.call('EXISTS',log)==0 then
return nil
end
for _,facts in ipairs(redis.call('XINFO','GROUPS',log))do
local fact={}
for at=1,#facts,2 do
fact[facts[at]]=facts[at+1]
end
if fact.name==group then
return fact
end
end
return nil
end
local function group_low(log,group,lease,last)
local low=redis.call('HGET',lease,'low')
if low then
return less_id(last,low)and'0-0'or low
end
local facts=group_facts(log,group)
if not facts then
return nil
end
local pending=redis.call('XPENDING',log,group)
if pending[1]==0 then
return facts['last-delivered-id']
end
local before=redis.call('XREVRANGE',log,'('..pending[2],'-','COUNT',1)[1]
return before and before[1]or'0-0'
end
local own,meta,holds,log,plain=KEYS[1],KEYS[2],KEYS[3],KEYS[4],KEYS[5]
local token,ttl,group=ARGV[1],tonumber(ARGV[3]),ARGV[6]
local now=now_ms()
for _,command in ipairs({
{'HSET',meta,'f','v'},
{'HSETNX',meta,'f','v'},
{'HINCRBY',meta,'f',1},
{'HGETALL',meta},
{'HDEL',meta,'f'},
{'HLEN',meta},
{'ZADD',meta,'0','m'},
{'ZREM',meta,'m'},
{'ZCARD',meta},
{'XADD',meta,'*','f','v'},
{'XTRIM',meta,'MINID','~','1-0'},
{'XLEN',meta},
{'XINFO','STREAM',meta},
{'EXISTS',meta},
{'UNLINK',meta},
{'TIME'},
})do
if not redis.acl_check_cmd(unpack(command,1,#command))then
return redis.error_reply('NOPERM this user may not run '..command[1]..' on '..meta)
end
end
redis.call('HLEN',meta)
redis.call('HLEN',holds)
redis.call('HLEN',plain)
redis.call('XLEN',log)
local left,owner=lease_left(own,token,now,ttl)
if left>0 then
return{'BUSY',left,owner}
end
left,owner=lease_left(plain,'',now,ttl)
if left>0 then
return{'CONSUMED',left,owner}
end
local offset=redis.call('HGET',meta,'offset')
local is_new=not offset
if is_new and redis.call('HGET',own,'epoch')then
return{'ROLLED_BACK'}
end
local facts=log_facts(log)
if is_new then
local low=group_low(log,group,plain,facts.last)
offset=low or ARGV[7]
if offset=='$'then
offset=facts.last
end
if low and group_facts(log,group)then
for _,consumer in ipairs(redis.call('XINFO','CONSUMERS',log,group))do
redis.call('XGROUP','DELCONSUMER',log,group,consumer[2])
end
end
redis.call('HSET',meta,'gen',token,'seq',0,'offset',offset,'count',0)
redis.call('HDEL',holds,'g:'..group)
local before=entries_up_to(facts,offset)
if before then
redis.call('HSET',own,'before',before,'added',facts.added,'first',facts.first,'whole',offset)
else
redis.call('HDEL',own,'before')
end
end
if ARGV[8]~=''then
local last=ARGV[8]
if last=='$'then
last=facts.last
elseif last=='='then
last=offset
end
redis.call('HSETNX',meta,'until',last)
end
local before=redis.call('HMGET',own,'token','crashes','crashed-at','started')
local held,crashes,started=before[1],tonumber(before[2]or'0'),before[4]or''
if held~=token then
redis.call('HINCRBY',own,'epoch',1)
if held then
if before[3]==offset then
crashes=crashes+1
else
crashes=started~=''and 2 or 1
end
end
end
redis.call('HSET',own,'token',token,'until',now+ttl,'ttl',ttl,'owner',ARGV[2],'crashes',crashes,'crashed-at',offset)
redis.call('HSET',holds,ARGV[4],offset)
redis.call('HSET',plain,'job',ARGV[5])
return{'OK',tonumber(redis.call('HGET',own,'epoch')),crashes,started,now,redis.call('HGETALL',meta)}`,
};

/** How many keys `acquire-task` takes. */
export const acquireTaskKeyCount = 5;

/**
 * Makes a process the owner of a task, when nobody else is, and gives it what the last commit stored.
 *
 * A new task begins where the group of its job is, when plain consumers have worked with it before, else where it wants to begin. From then
 * on its position is its own, and the group of Redis only mirrors it.
 *
 * An owner that did not give its lease back has crashed. The first crash may have any cause. Another one at the same position is
 * suspected of a record. One while a marked record was processed is that record's, and counts anew when the position has moved since.
 *
 * **Returns** OK, epoch, crashes, started (id or ''), server time, fields of `meta`
 *   BUSY, milliseconds until the lease of the present owner ends, its name
 *   CONSUMED, the same of a plain consumer that works as the group
 *   ROLLED_BACK the task has had owners, but what the last commit stored is gone
 *
 * **Errors** WRONGTYPE when a key holds something else, NOPERM when the user may not do what a commit does; nothing is written
 */
export function acquireTask(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** facts of the last commit */
    readonly meta: string;
    /** what retention must keep of the log */
    readonly holds: string;
    /** the partition's log */
    readonly log: string;
    /** lease that plain consumers of the group have */
    readonly plain: string;
  };
  readonly args: {
    /** random, new for each acquisition */
    readonly token: string;
    /** the process, for people */
    readonly owner: string;
    /** milliseconds until the lease ends unless it is renewed */
    readonly ttl: number;
    /** field of the task in `holds` */
    readonly hold: string;
    /** name of the job */
    readonly job: string;
    /** name of its group */
    readonly group: string;
    /** id after which a new task of a new group begins, `$` for the end of the log */
    readonly from: string;
    /** the last entry to read: an id, `$` for the last one now, `=` for none; '' without an end. What was fixed stays */
    readonly until: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: acquireTaskScript,
    keys: [keys.own, keys.meta, keys.holds, keys.log, keys.plain],
    args: [args.token, args.owner, args.ttl, args.hold, args.job, args.group, args.from, args.until],
  };
}

export const appendOutputsScript: Script = {
  name: 'append-outputs',
  sha1: 'b8cb476a9414f7e74f37be6b0398c2c6e0a1fe21',
  resendable: true,
  source: `local function split_id(id)
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
local stream,sources=KEYS[1],KEYS[2]
local source,gen,previous=ARGV[1],ARGV[2],ARGV[4]
if#ARGV<9 or(#ARGV-4)%5~=0 then
return redis.error_reply('ERR append-outputs needs a position and four fields per entry')
end
local well_formed=split_id(previous)
for at=5,#ARGV,5 do
well_formed=well_formed and split_id(ARGV[at])
end
if not well_formed then
return redis.error_reply('ERR append-outputs was given a position that is no id')
end
local last='0-0'
local stored=redis.call('HGET',sources,source)
if stored then
local stored_gen,position=string.match(stored,'^(%S+) (%S+)$')
if stored_gen==gen then
last=position
elseif stored_gen~=ARGV[3]then
return{'OTHER',stored_gen}
end
end
if less_id(last,previous)then
return{'GAP',last}
end
local appended=0
for at=5,#ARGV,5 do
if less_id(last,ARGV[at])then
redis.call('XADD',stream,'*','m',ARGV[at+1],'k',ARGV[at+2],'h',ARGV[at+3],'d',ARGV[at+4])
appended=appended+1
end
end
if appended>0 then
redis.call('HSET',sources,source,gen..' '..ARGV[#ARGV-4])
end
return{'OK',appended}`,
};

/** How many keys `append-outputs` takes. */
export const appendOutputsKeyCount = 2;

/**
 * Appends what a task has sent to a partition of a topic, each entry once: what is there already is left out.
 *
 * The task lies in another slot, so neither its token nor its commit can be looked at. What makes it right is that only committed
 * entries are sent, each at a position that never has other contents in one history (`gen`) of the task: an owner that has lost
 * its lease can only append what is right. `previous` shows that nothing between was lost on either side.
 *
 * **Returns** OK, number of entries that were appended
 *   GAP, last     nothing was written: entries up to `previous` are missing here
 *   OTHER, gen    nothing was written: another history has been here
 *
 * **Errors** WRONGTYPE when a key holds something else, ERR when fields are missing or a position is no id; nothing is written
 */
export function appendOutputs(call: {
  readonly keys: {
    /** the partition's log */
    readonly stream: string;
    /** source → gen and last position that was appended */
    readonly sources: string;
  };
  readonly args: {
    /** who sends: job, task, partition and sink */
    readonly source: string;
    /** the history that the positions belong to */
    readonly gen: string;
    /** another history that was found here and may be replaced, '' for none */
    readonly replaces: string;
    /** position of the entry before the first one that was sent here, 0-0 for none */
    readonly previous: string;
    /** for each entry, by rising positions: its position and the fields m, k, h and d */
    readonly entries: readonly RedisArgument[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: appendOutputsScript,
    keys: [keys.stream, keys.sources],
    args: [args.source, args.gen, args.replaces, args.previous, ...args.entries],
  };
}

export const claimGroupScript: Script = {
  name: 'claim-group',
  sha1: 'b0ebf9cd0faa9250a123244fd937f0ff907e32d2',
  resendable: true,
  source: `#!lua flags=allow-oom
local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local function note_member(members,member,ttl,facts,now)
if ttl>0 then
redis.call('HSET',members,member,string.format('%.0f %.0f %s',now+ttl,ttl,facts))
else
redis.call('HDEL',members,member)
end
end
local function members_alive(members,now)
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
return alive
end
local meta,members=KEYS[1],KEYS[2]
local field,job='job:'..ARGV[1],ARGV[2]
local facts=redis.call('HMGET',meta,'partitions',field)
if not facts[1]then
return{'UNKNOWN'}
end
if facts[2]==job then
return{'OK'}
end
if facts[2]then
return{'JOB',facts[2]}
end
local alive={}
for _,each in ipairs(members_alive(members,now_ms()))do
alive[#alive+1]=each[1]
end
if#alive>0 then
return{'MEMBERS',alive}
end
redis.call('HSET',meta,field,job)
return{'OK'}`,
};

/** How many keys `claim-group` takes. */
export const claimGroupKeyCount = 2;

/**
 * Makes a group of a topic that of a job: from then on no plain consumer can join it, since positions of a job are its own.
 *
 * **Returns** OK
 *   UNKNOWN when there is no such topic
 *   JOB, name of the other job that has it
 *   MEMBERS, ids of the consumers that are in the group now
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function claimGroup(call: {
  readonly keys: {
    /** the topic's metadata */
    readonly meta: string;
    /** plain consumers of the group */
    readonly members: string;
  };
  readonly args: {
    /** name of the group */
    readonly group: string;
    /** name of the job */
    readonly job: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: claimGroupScript,
    keys: [keys.meta, keys.members],
    args: [args.group, args.job],
  };
}

export const commitTaskScript: Script = {
  name: 'commit-task',
  sha1: 'c68de3f638b4da41197974496f3c5b2a5bf8fe15',
  resendable: true,
  source: `local function now_ms()
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
local function wrong_type(key,type)
local length
if type=='hash'then
length=redis.pcall('HLEN',key)
elseif type=='zset'then
length=redis.pcall('ZCARD',key)
else
length=redis.pcall('XLEN',key)
end
if tonumber(length)then
return nil
end
if string.find(length.err,'WRONGTYPE',1,true)then
return redis.error_reply('WRONGTYPE '..key..' should be a '..type..' and is a '..redis.call('TYPE',key).ok)
end
return length
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
local own,meta,holds=KEYS[1],KEYS[2],KEYS[3]
local seq,offset,started=tonumber(ARGV[2]),ARGV[4],ARGV[5]
local lease=redis.call('HMGET',own,'token','ttl')
if lease[1]~=ARGV[1]then
return'FENCED'
end
local last=tonumber(redis.call('HGET',meta,'seq')or'-1')
if last==seq then
return'DUP'
end
if last~=seq-1 then
return'SEQ'
end
local MOST,ENTRY_VALUES=1000,2000
local function malformed(at)
return redis.error_reply('ERR commit-task cannot read its argument '..at)
end
local function is_score(text)
local score=tonumber(text)
local finite=score and score==score and math.abs(score)<math.huge
return(finite or string.find(string.lower(text),'^[+-]?inf$'))and not string.find(text,'%s')
end
local TYPES={hset='hash',hdel='hash',zadd='zset',zrem='zset',xadd='stream',append='stream',xtrim='stream',mark='hash'}
local facts,count=tonumber(ARGV[7]),#ARGV
if not facts or facts%2~=0 or 8+facts>count+1 then
return malformed(7)
end
local first=8+facts
local checked={}
local wrong=wrong_type(holds,'hash')
if wrong then
return wrong
end
local at=first
while at<=count do
local what,number,values=ARGV[at],tonumber(ARGV[at+1]),tonumber(ARGV[at+2])
local from=at+3
at=from+values
local key,type=KEYS[3+number],TYPES[what]
if not key or at>count+1 or not(type or what=='unlink')then
return malformed(from-3)
end
if type and not checked[number]then
wrong=wrong_type(key,type)
if wrong then
return wrong
end
checked[number]=type
elseif type and checked[number]~=type then
return redis.error_reply('WRONGTYPE '..key..' is written to as a '..checked[number]..' and as a '..type)
end
if what=='hset'then
if values%2~=0 then
return malformed(from-1)
end
elseif what=='zadd'then
if values%2~=0 then
return malformed(from-1)
end
for score=from,at-1,2 do
if not is_score(ARGV[score])then
return malformed(score)
end
end
elseif what=='mark'then
for next=from,at-1,3 do
if values%3~=0 or not KEYS[3+tonumber(ARGV[next])]then
return malformed(next)
end
end
elseif what=='xadd'or what=='append'then
local fields=tonumber(ARGV[from])
if fields<2 or fields>ENTRY_VALUES or fields%2~=0 or(values-1)%(fields+1)~=0 then
return malformed(from)
end
for id=from+1,at-1,fields+1 do
if what=='xadd'and not split_id(ARGV[id])then
return malformed(id)
end
end
elseif what=='xtrim'and not split_id(ARGV[from])then
return malformed(from)
end
end
redis.call('HSET',own,'until',now_ms()+tonumber(lease[2]),'started',started)
if ARGV[6]=='1'then
redis.call('HDEL',own,'crashes','crashed-at')
end
at=first
while at<=count do
local what,key,values=ARGV[at],KEYS[3+tonumber(ARGV[at+1])],tonumber(ARGV[at+2])
local from=at+3
at=from+values
if what=='hset'then
for next=from,at-1,MOST do
redis.call('HSET',key,unpack(ARGV,next,math.min(next+MOST-1,at-1)))
end
elseif what=='hdel'then
for next=from,at-1,MOST do
redis.call('HDEL',key,unpack(ARGV,next,math.min(next+MOST-1,at-1)))
end
elseif what=='zadd'then
for next=from,at-1,MOST do
redis.call('ZADD',key,unpack(ARGV,next,math.min(next+MOST-1,at-1)))
end
elseif what=='zrem'then
for next=from,at-1,MOST do
redis.call('ZREM',key,unpack(ARGV,next,math.min(next+MOST-1,at-1)))
end
elseif what=='mark'then
for next=from,at-1,3 do
if redis.call('EXISTS',KEYS[3+tonumber(ARGV[next])])==1 then
redis.call('HSET',key,ARGV[next+1],ARGV[next+2])
else
redis.call('HDEL',key,ARGV[next+1])
end
end
elseif what=='unlink'then
redis.call('UNLINK',key)
elseif what=='xadd'then
local fields,top=tonumber(ARGV[from]),last_id(key)
for next=from+1,at-1,fields+1 do
if less_id(top,ARGV[next])then
redis.call('XADD',key,ARGV[next],unpack(ARGV,next+1,next+fields))
top=ARGV[next]
end
end
elseif what=='append'then
local fields=tonumber(ARGV[from])
for next=from+1,at-1,fields+1 do
redis.call('XADD',key,'*',unpack(ARGV,next+1,next+fields))
end
else
redis.call('XTRIM',key,'MINID','~',ARGV[from])
end
end
redis.call('HSET',holds,ARGV[3],offset)
redis.call('HSET',meta,'seq',seq,'offset',offset,unpack(ARGV,8,first-1))
return'OK'`,
};

/** How many keys `commit-task` takes; any number of `changed` comes on top. */
export const commitTaskKeyCount = 3;

/**
 * Changes a task by one batch, as a whole or not at all: state, timers, results, facts of the operators, position.
 *
 * What makes it right, in the order of the code:
 * 1. Only the owner: the token is compared, not an epoch or a time. Nothing else says that somebody else has taken over.
 * 2. Only once, and in order: `seq` is the number of the last commit plus one. The same number again is the same batch, whose reply was lost.
 * 3. Everything that could fail, fails before the first write: types of keys, the form of the changes, ids of entries. What Redis
 *    itself refuses (memory, disk, replicas, a replica) it refuses at the first write, which is one that it refuses when memory is full.
 * 4. All writes are absolute. Entries of streams bring their ids and are left out where the stream is beyond them already. What
 *    cannot be absolute (entries that share a stream with those of others) rests on 2.
 * 5. The hold on the log moves with the position, and both with the last writes of all, that of `seq` among them.
 *
 * **Returns** OK | DUP executed before | FENCED somebody else is the owner | SEQ another commit is expected
 *
 * **Errors** WRONGTYPE, with the name of the key where it is one that is changed; ERR when a change has another form. Nothing is written
 */
export function commitTask(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** facts of the last commit */
    readonly meta: string;
    /** what retention must keep of the log */
    readonly holds: string;
    /** every key that is changed, each once */
    readonly changed: readonly string[];
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
    /** number of this commit */
    readonly seq: number;
    /** field of the task in `holds` */
    readonly hold: string;
    /** id of the last entry that is settled */
    readonly offset: string;
    /** the entry whose processing is about to start, '' for none */
    readonly started: string;
    /** 1 when the crashes that were counted are dealt with */
    readonly recovered: number;
    /**
     * number of fields of `meta` times two, names and values; then changes, each: what, number of its key (from
     * 1), number of values, values. What and its values:
     * hset names and values | hdel names | zadd scores and members | zrem members | unlink none |
     * mark number of the key of a collection, name, value: sets the field while the collection exists |
     * xadd, append number of fields, then for each entry its id and fields; all entries of one change have as many |
     * xtrim lowest id that is kept
     */
    readonly changes: readonly RedisArgument[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: commitTaskScript,
    keys: [keys.own, keys.meta, keys.holds, ...keys.changed],
    args: [args.token, args.seq, args.hold, args.offset, args.started, args.recovered, ...args.changes],
  };
}

export const findExpiredScript: Script = {
  name: 'find-expired',
  sha1: 'bd6e103cc5b9d49da13a84c0211486287ce937d6',
  resendable: true,
  source: `local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local function has_expired(value,now)
local expires=value and tonumber(string.match(value,'^%d+[bu]?;e(-?[%d.e+]+)[;|]')or'')
return expires and expires<=now or false
end
local own,token,cursor,count,now=KEYS[1],ARGV[1],ARGV[2],tonumber(ARGV[3]),tonumber(ARGV[4])
if not is_owner(own,token)then
return{'FENCED'}
end
local found,n={},0
local at,left=2,count
while at<=#KEYS and left>0 do
local page=redis.call('HSCAN',KEYS[at],cursor,'COUNT',left)
local fields=page[2]
for place=1,#fields,2 do
if now==-1 or has_expired(fields[place+1],now)then
found[n+1]=at-2
found[n+2]=fields[place]
n=n+2
end
end
left=left-#fields/2
cursor=page[1]
if cursor=='0'then
at=at+1
end
end
return{'OK',at-2,cursor,count-left,found}`,
};

/** How many keys `find-expired` takes; any number of `hashes` comes on top. */
export const findExpiredKeyCount = 1;

/**
 * Looks through hashes of keyed state for what has expired, a part of them at a time.
 *
 * **Returns** OK, number of the hash to go on with (from 0; that of `hashes`: all were looked through), its cursor, how many fields were
 *     looked at, then in turn number of a hash and field
 *   FENCED somebody else is the owner
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function findExpired(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** values, marks of collections, or elements of large maps, each with its header */
    readonly hashes: readonly string[];
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
    /** where to go on in the first of them: 0 to begin, else what the call before gave */
    readonly cursor: string;
    /** fields to look at, about */
    readonly count: number;
    /** epoch milliseconds of the owner's clock; -1: every field is wanted */
    readonly now: number;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: findExpiredScript,
    keys: [keys.own, ...keys.hashes],
    args: [args.token, args.cursor, args.count, args.now],
  };
}

export const joinJobScript: Script = {
  name: 'join-job',
  sha1: '369b7f14cdf2357e4869e14ede99f60f9f8f8355',
  resendable: true,
  source: `#!lua flags=allow-oom
local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local function note_member(members,member,ttl,facts,now)
if ttl>0 then
redis.call('HSET',members,member,string.format('%.0f %.0f %s',now+ttl,ttl,facts))
else
redis.call('HDEL',members,member)
end
end
local function members_alive(members,now)
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
return alive
end
local members,manifest=KEYS[1],KEYS[2]
local member,hash=ARGV[1],ARGV[5]
local now=now_ms()
local present=redis.call('HGET',manifest,'hash')or''
local alive=members_alive(members,now)
if present~=hash then
if present~=ARGV[4]then
return{'CHANGED'}
end
local others={}
for _,each in ipairs(alive)do
if each[1]~=member then
others[#others+1]=each[1]
end
end
if present~=''and#others>0 then
return{'LIVE',others}
end
redis.call('HSET',manifest,'hash',hash,'text',ARGV[6],'ends',ARGV[7])
end
note_member(members,member,tonumber(ARGV[3]),ARGV[2],now)
return{'OK',redis.call('HGET',manifest,'ends')}`,
};

/** How many keys `join-job` takes. */
export const joinJobKeyCount = 2;

/**
 * Makes a process a member of a job, when the job is what the process takes it for.
 *
 * What a job is made of is written down as its manifest. It changes only while no other member is there: all members have the same.
 *
 * **Returns** OK, ends as they were fixed
 *   CHANGED when the manifest is another one than the member has compared with
 *   LIVE, names of the members that are there, when it would change under them
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function joinJob(call: {
  readonly keys: {
    /** member → time until which it counts as alive, its ttl, and what it says of itself, with spaces between */
    readonly members: string;
    /** hash: what names the present text; text; ends: where bounded sources end, fixed by the first member */
    readonly manifest: string;
  };
  readonly args: {
    /** id of the member, unique per start */
    readonly member: string;
    /** what it says of itself */
    readonly facts: string;
    /** milliseconds until it counts as gone unless it comes again */
    readonly ttl: number;
    /** hash of the manifest that the member has compared with; '' for none */
    readonly known: string;
    /** what names its own */
    readonly hash: string;
    /** its own */
    readonly text: string;
    /** where bounded sources end: what was fixed for those that there were, and its own for new ones */
    readonly ends: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: joinJobScript,
    keys: [keys.members, keys.manifest],
    args: [args.member, args.facts, args.ttl, args.known, args.hash, args.text, args.ends],
  };
}

export const markCommitsScript: Script = {
  name: 'mark-commits',
  sha1: '0edc2105cf25c7c28f2b292229533f6073e4ca6e',
  resendable: true,
  source: `local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local last={}
local owned=false
for task=1,#ARGV-2 do
local seq=-1
if is_owner(KEYS[2*task],ARGV[task+2])then
seq=tonumber(redis.call('HGET',KEYS[2*task+1],'seq')or'-1')
owned=true
end
last[task]=seq
end
if owned then
redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[2])
end
return last`,
};

/** How many keys `mark-commits` takes; any number of `tasks` comes on top. */
export const markCommitsKeyCount = 1;

/**
 * Tells which commits of tasks this server has, and leaves a mark behind them: a replica that has the mark has those commits too.
 *
 * What is told and the mark belong to one moment and one server, so a mark that a replica confirms speaks for no commit that a failover
 * has lost. The token says that the number is of our commits: within one acquisition each number is given to one commit.
 *
 * **Returns** for each task the number of its last commit, or -1 when somebody else is the owner. Without any of an owner no mark is left
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function markCommits(call: {
  readonly keys: {
    /** where the mark is left */
    readonly mark: string;
    /** for each task its lease and the facts of its last commit */
    readonly tasks: readonly string[];
  };
  readonly args: {
    /** the mark, never the same twice */
    readonly value: string;
    /** milliseconds until the mark is removed */
    readonly ttl: number;
    /** the owner's token of each task */
    readonly tokens: readonly string[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: markCommitsScript,
    keys: [keys.mark, ...keys.tasks],
    args: [args.value, args.ttl, ...args.tokens],
  };
}

export const meetJobScript: Script = {
  name: 'meet-job',
  sha1: '28b58af0316fc2a4f35967c5189d70e9daf6ef45',
  resendable: true,
  source: `#!lua flags=allow-oom
local function now_ms()
local time=redis.call('TIME')
return time[1]*1000+math.floor(time[2]/1000)
end
local function note_member(members,member,ttl,facts,now)
if ttl>0 then
redis.call('HSET',members,member,string.format('%.0f %.0f %s',now+ttl,ttl,facts))
else
redis.call('HDEL',members,member)
end
end
local function members_alive(members,now)
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
return alive
end
local members,manifest,ended=KEYS[1],KEYS[2],KEYS[3]
local ttl=tonumber(ARGV[3])
local now=now_ms()
local hash=redis.call('HGET',manifest,'hash')
if hash~=ARGV[4]then
redis.call('HDEL',members,ARGV[1])
return{hash and'OTHER'or'LOST'}
end
for at=6,#ARGV do
redis.call('HSET',ended,ARGV[at],1)
end
note_member(members,ARGV[1],ttl,ARGV[2],now)
local known={}
if redis.call('HLEN',ended)~=tonumber(ARGV[5])then
known=redis.call('HKEYS',ended)
end
return{'OK',members_alive(members,now),known}`,
};

/** How many keys `meet-job` takes. */
export const meetJobKeyCount = 3;

/**
 * Says that a member of a job is there, what it owns and which tasks have ended, and learns who else is there and what has ended elsewhere.
 *
 * **Returns** OK, { member, milliseconds left, facts } of each member alive, ended tasks when there are others than it knows of
 *   OTHER when the job is made of something else by now
 *   LOST when nobody knows what it is made of any more
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function meetJob(call: {
  readonly keys: {
    /** member → time until which it counts as alive, its ttl, and what it says of itself, with spaces between */
    readonly members: string;
    /** what the job is made of */
    readonly manifest: string;
    /** task:partition → 1, for the tasks of bounded sources that have ended */
    readonly ended: string;
  };
  readonly args: {
    /** id of the member, unique per start */
    readonly member: string;
    /** what it says of itself; '' when it leaves */
    readonly facts: string;
    /** milliseconds until it counts as gone unless it comes again; 0 when it leaves */
    readonly ttl: number;
    /** what names the manifest that it works by */
    readonly hash: string;
    /** how many ended tasks it knows of */
    readonly known: number;
    /** tasks that have ended */
    readonly ends: readonly string[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: meetJobScript,
    keys: [keys.members, keys.manifest, keys.ended],
    args: [args.member, args.facts, args.ttl, args.hash, args.known, ...args.ends],
  };
}

export const mirrorGroupScript: Script = {
  name: 'mirror-group',
  sha1: 'b2c8af1002a76c3c410f0034348e3a8cd77cb8ec',
  resendable: true,
  source: `#!lua flags=allow-oom
local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
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
local function log_facts(log)
local facts={length=0,added=0,first='0-0',last='0-0',deleted='0-0'}
if redis.call('XLEN',log)==0 and redis.call('EXISTS',log)==0 then
return facts
end
local info=redis.call('XINFO','STREAM',log)
for at=1,#info,2 do
local name,value=info[at],info[at+1]
if name=='length'then
facts.length=value
elseif name=='entries-added'then
facts.added=value
elseif name=='recorded-first-entry-id'then
facts.first=value
elseif name=='last-generated-id'then
facts.last=value
elseif name=='max-deleted-entry-id'then
facts.deleted=value
end
end
return facts
end
local function entries_up_to(facts,id)
if not less_id(id,facts.last)then
return facts.added
end
if facts.length==0 or less_id(id,facts.first)then
return facts.added-facts.length
end
return nil
end
local function look_for_gap(own,facts,at,read)
local stored=redis.call('HMGET',own,'before','added','whole','gap','first')
local before,added,whole=tonumber(stored[1]or''),tonumber(stored[2]or''),stored[3]or at
local known=entries_up_to(facts,at)
local anew=added~=nil and facts.added<added or before~=nil and known~=nil and known-read<before
local lost=0
if before and known then
if anew then
lost=math.max(0,(added or 0)-before-(read-known))
else
lost=math.max(0,known-read-before)
end
end
local untouched=(facts.first==stored[5]or not less_id(whole,facts.first))and not less_id(whole,facts.deleted)
if known then
redis.call('HSET',own,'before',known-read)
elseif anew then
redis.call('HDEL',own,'before')
end
redis.call('HSET',own,'added',facts.added)
if known or untouched or anew then
redis.call('HSET',own,'first',facts.first,'whole',at)
end
if lost==0 and not anew then
return
end
if stored[4]then
local known_gap=cjson.decode(stored[4])
whole,lost,anew=known_gap[1],lost+known_gap[3],anew or known_gap[4]
end
local next_id=''
if known and not less_id(at,facts.last)then
next_id=at
elseif facts.length>0 then
next_id=facts.first
end
redis.call('HSET',own,'gap',cjson.encode({whole,next_id,lost,anew}))
redis.call('HINCRBY',own,'gap-id',1)
end
local own,log=KEYS[1],KEYS[2]
local group,offset,count=ARGV[2],ARGV[3],tonumber(ARGV[4])
if not is_owner(own,ARGV[1])then
return{'FENCED'}
end
local facts=log_facts(log)
if ARGV[7]~=''and redis.call('HGET',own,'gap-id')==ARGV[7]then
redis.call('HDEL',own,'gap')
end
if ARGV[5]~=''then
look_for_gap(own,facts,ARGV[5],tonumber(ARGV[6]))
end
local read=entries_up_to(facts,offset)
local before=tonumber(redis.call('HGET',own,'before')or'')
if before and not read then
read=math.min(facts.added,math.max(before+count,facts.added-facts.length+1))
end
local function set_position()
if read then
return redis.pcall('XGROUP','SETID',log,group,offset,'ENTRIESREAD',read)
end
return redis.pcall('XGROUP','SETID',log,group,offset)
end
local reply=redis.call('EXISTS',log)==1 and set_position()or{err='NOGROUP'}
if reply.err then
if not string.find(reply.err,'NOGROUP',1,true)then
return reply
end
redis.call('XGROUP','CREATE',log,group,offset,'MKSTREAM')
set_position()
end
local lag=read and facts.added-read or-1
local found=redis.call('HMGET',own,'gap-id','gap')
if not found[2]then
return{'OK',lag}
end
local gap=cjson.decode(found[2])
return{'OK',lag,found[1],gap[1],gap[2],gap[3],gap[4]and 1 or 0}`,
};

/** How many keys `mirror-group` takes. */
export const mirrorGroupKeyCount = 2;

/**
 * Moves the group of a job to where the task is, for tools that look at groups, and finds out what the log has lost before the task was
 * given it. It means nothing to the task itself.
 *
 * Redis tells the lag of a group only where it knows how many entries the group has read. The task counts its own; how many there were
 * before is known when the task began at the end of the log or before its first entry, and else from the first time on that
 * it has read everything.
 *
 * **Returns** OK, entries of the log after the offset, -1 where only reading them could tell
 *   the same, and what was found and not told yet: its name, after and before which id ('' for all that there were), how many, 0
 *     where that is not known, 1 when the log was deleted
 *   FENCED somebody else is the owner
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function mirrorGroup(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** the partition's log */
    readonly log: string;
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
    /** name of the group */
    readonly group: string;
    /** id of the last entry that is settled */
    readonly offset: string;
    /** entries that the task has settled */
    readonly count: number;
    /** id of the last entry that was read, while no read is under way; '' while one is: then nothing is looked for */
    readonly at: string;
    /** entries that were read up to there */
    readonly read: number;
    /** what was found before and has been told; '' for nothing */
    readonly told: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: mirrorGroupScript,
    keys: [keys.own, keys.log],
    args: [args.token, args.group, args.offset, args.count, args.at, args.read, args.told],
  };
}

export const pageTimersScript: Script = {
  name: 'page-timers',
  sha1: '93bbcb6d09220cdda02fa30cd0245ed8370b3983',
  resendable: true,
  source: `local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local own,token=KEYS[1],ARGV[1]
if token~=''and not is_owner(own,token)then
return{'FENCED'}
end
local reply={'OK'}
for at=2,#KEYS do
reply[at]=redis.call('ZRANGE',KEYS[at],0,tonumber(ARGV[2])-1)
end
return reply`,
};

/** How many keys `page-timers` takes; any number of `queues` comes on top. */
export const pageTimersKeyCount = 1;

/**
 * Reads the first timers of several queues, each of which lies on as many sorted sets as the task has shards.
 *
 * **Returns** OK, then the first members of each sorted set, in order
 *   FENCED somebody else is the owner
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function pageTimers(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** sorted sets of timers, by time */
    readonly queues: readonly string[];
  };
  readonly args: {
    /** the owner's token; '' for somebody who only looks */
    readonly token: string;
    /** timers of each sorted set */
    readonly count: number;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: pageTimersScript,
    keys: [keys.own, ...keys.queues],
    args: [args.token, args.count],
  };
}

export const readCellsScript: Script = {
  name: 'read-cells',
  sha1: '9a2b75f3f0df76b17567e355b6e7414b721d5fdc',
  resendable: true,
  source: `local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local own,token=KEYS[1],ARGV[1]
if token~=''and not is_owner(own,token)then
return{'FENCED'}
end
local reply,n={'OK'},1
local at,count=2,#ARGV
while at<=count do
local key=KEYS[1+tonumber(ARGV[at+1])]
if ARGV[at]=='v'then
local from=at+3
at=from+tonumber(ARGV[at+2])
for next=from,at-1,1000 do
local values=redis.call('HMGET',key,unpack(ARGV,next,math.min(next+999,at-1)))
for place=1,#values do
reply[n+place]=values[place]
end
n=n+#values
end
else
local mark=redis.call('HGET',key,ARGV[at+3])
n=n+1
reply[n]=mark and{mark,redis.call('HGETALL',KEYS[1+tonumber(ARGV[at+2])])}
at=at+4
end
end
return reply`,
};

/** How many keys `read-cells` takes; any number of `read` comes on top. */
export const readCellsKeyCount = 1;

/**
 * Reads cells of a task: values, and collections as a whole.
 *
 * **Returns** OK, in the order of what was wanted each value or nil, and for a collection nil or { mark, ids and elements in turn }
 *   FENCED somebody else is the owner
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function readCells(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** hashes of states, collections */
    readonly read: readonly string[];
  };
  readonly args: {
    /** the owner's token; '' for somebody who only looks */
    readonly token: string;
    /**
     * values: v, number of the hash (from 1), number of fields, fields. A collection: c, number of the hash that
     * marks it, number of its own, field of the mark
     */
    readonly wanted: readonly RedisArgument[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: readCellsScript,
    keys: [keys.own, ...keys.read],
    args: [args.token, ...args.wanted],
  };
}

export const releaseTaskScript: Script = {
  name: 'release-task',
  sha1: '9d23a9441af73623e5cf761fdc036785ed587ae4',
  resendable: true,
  source: `#!lua flags=allow-oom
local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local own=KEYS[1]
if not is_owner(own,ARGV[1])then
return 0
end
redis.call('HDEL',own,'token','until','ttl','owner','crashes','crashed-at','started')
return 1`,
};

/** How many keys `release-task` takes. */
export const releaseTaskKeyCount = 1;

/**
 * Gives a lease back, so that the next owner need not wait for its end, and suspects no crash.
 *
 * **Returns** 1, or 0 when somebody else holds it
 *
 * **Errors** WRONGTYPE when the key holds something else
 */
export function releaseTask(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: releaseTaskScript,
    keys: [keys.own],
    args: [args.token],
  };
}

export const removeExpiredElementsScript: Script = {
  name: 'remove-expired-elements',
  sha1: '4a4cb33f0de31760f324d74f1228a0fbeb34d779',
  resendable: true,
  source: `#!lua flags=allow-oom
local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local function has_expired(value,now)
local expires=value and tonumber(string.match(value,'^%d+[bu]?;e(-?[%d.e+]+)[;|]')or'')
return expires and expires<=now or false
end
local own,shard,index,elements=KEYS[1],KEYS[2],KEYS[3],KEYS[4]
if not is_owner(own,ARGV[1])then
return{'FENCED'}
end
redis.call('ZCARD',index)
redis.call('HLEN',shard)
local now,removed=tonumber(ARGV[2]),0
for at=4,#ARGV do
if has_expired(redis.call('HGET',elements,ARGV[at]),now)then
removed=removed+redis.call('HDEL',elements,ARGV[at])
redis.call('ZREM',index,ARGV[at])
end
end
if redis.call('EXISTS',elements)==0 then
redis.call('HDEL',shard,ARGV[3])
end
return{'OK',removed}`,
};

/** How many keys `remove-expired-elements` takes. */
export const removeExpiredElementsKeyCount = 4;

/**
 * Removes elements of a large map that have expired, and its mark with the last one. As remove-expired.lua otherwise.
 *
 * **Returns** OK, how many were removed
 *   FENCED somebody else is the owner
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function removeExpiredElements(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** marks of the maps of the state */
    readonly shard: string;
    /** namespaces of the map, all with score 0 */
    readonly index: string;
    /** namespace → value with its header */
    readonly elements: string;
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
    /** epoch milliseconds of the owner's clock */
    readonly now: number;
    /** field of the map in the shard */
    readonly mark: string | Uint8Array;
    /** what may have expired */
    readonly fields: readonly (string | Uint8Array)[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: removeExpiredElementsScript,
    keys: [keys.own, keys.shard, keys.index, keys.elements],
    args: [args.token, args.now, args.mark, ...args.fields],
  };
}

export const removeExpiredScript: Script = {
  name: 'remove-expired',
  sha1: '219c31b5cd9da3abc4d08c5c7ae5ef9516860287',
  resendable: true,
  source: `#!lua flags=allow-oom
local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local function has_expired(value,now)
local expires=value and tonumber(string.match(value,'^%d+[bu]?;e(-?[%d.e+]+)[;|]')or'')
return expires and expires<=now or false
end
local own,hash=KEYS[1],KEYS[2]
if not is_owner(own,ARGV[1])then
return{'FENCED'}
end
local now,removed=tonumber(ARGV[2]),0
for at=3,#ARGV do
if has_expired(redis.call('HGET',hash,ARGV[at]),now)then
removed=removed+redis.call('HDEL',hash,ARGV[at])
if KEYS[at]then
redis.call('UNLINK',KEYS[at])
end
end
end
return{'OK',removed}`,
};

/** How many keys `remove-expired` takes; any number of `collections` comes on top. */
export const removeExpiredKeyCount = 2;

/**
 * Removes values or collections that have expired. Each is looked at again: what was found may be another one by now.
 *
 * To be called while the owner has nothing under way: what a batch that is not committed has made of a value must not be missing it.
 *
 * **Returns** OK, how many were removed
 *   FENCED somebody else is the owner
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function removeExpired(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** values, or marks of collections, each with its header */
    readonly hash: string;
    /** those of the fields, in their order; none where the hash has values */
    readonly collections: readonly string[];
  };
  readonly args: {
    /** the owner's token */
    readonly token: string;
    /** epoch milliseconds of the owner's clock */
    readonly now: number;
    /** what may have expired */
    readonly fields: readonly (string | Uint8Array)[];
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: removeExpiredScript,
    keys: [keys.own, keys.hash, ...keys.collections],
    args: [args.token, args.now, ...args.fields],
  };
}

export const renewTasksScript: Script = {
  name: 'renew-tasks',
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

/** How many keys `renew-tasks` takes; any number of `leases` comes on top. */
export const renewTasksKeyCount = 0;

/**
 * Extends the leases of an owner. One that is not the owner's any more is left as it is.
 *
 * **Returns** for each lease 1, or 0 when somebody else holds it
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function renewTasks(call: {
  readonly keys: {
    /** leases of tasks */
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
    script: renewTasksScript,
    keys: [...keys.leases],
    args: [args.ttl, ...args.tokens],
  };
}

export const scanCellsScript: Script = {
  name: 'scan-cells',
  sha1: 'b246b68836bec708e4aea80523ac34784375638a',
  resendable: true,
  source: `local function is_owner(lease,token)
return redis.call('HGET',lease,'token')==token
end
local STEP=64
local own,index,elements=KEYS[1],KEYS[2],KEYS[3]
local token,limit,budget=ARGV[1],tonumber(ARGV[3]),tonumber(ARGV[4])
if token~=''and not is_owner(own,token)then
return{'FENCED'}
end
local names=redis.call('ZRANGEBYLEX',index,ARGV[2],'+','LIMIT',0,limit)
local page,n={},0
local at=1
while at<=#names and budget>0 do
local last=math.min(at+STEP-1,#names)
local values=redis.call('HMGET',elements,unpack(names,at,last))
for place=1,#values do
page[n+1]=names[at+place-1]
page[n+2]=values[place]
n=n+2
budget=budget-#page[n-1]-(values[place]and#values[place]or 0)
end
at=last+1
end
return{'OK',(at<=#names or#names==limit)and 1 or 0,page}`,
};

/** How many keys `scan-cells` takes. */
export const scanCellsKeyCount = 3;

/**
 * Reads a page of a large map, in the order of the bytes of its namespaces.
 *
 * Nobody knows how large elements are before they are read: so they are read a few at a time until their bytes have used up a budget.
 *
 * **Returns** OK, 1 when there may be more, namespaces and values in turn
 *   FENCED somebody else is the owner
 *
 * **Errors** WRONGTYPE when a key holds something else
 */
export function scanCells(call: {
  readonly keys: {
    /** lease of the task */
    readonly own: string;
    /** namespaces, all with score 0 */
    readonly index: string;
    /** namespace → value */
    readonly elements: string;
  };
  readonly args: {
    /** the owner's token; '' for somebody who only looks */
    readonly token: string;
    /** `-` to begin at the first, else `(` and the namespace after which to go on */
    readonly after: string | Uint8Array;
    /** elements at most */
    readonly limit: number;
    /** bytes */
    readonly budget: number;
  };
}): ScriptCall {
  const { keys, args } = call;
  return {
    script: scanCellsScript,
    keys: [keys.own, keys.index, keys.elements],
    args: [args.token, args.after, args.limit, args.budget],
  };
}

/** All scripts, in the order of their names: for loading them at start. */
export const SCRIPTS: readonly Script[] = [
  acquireTaskScript,
  appendOutputsScript,
  claimGroupScript,
  commitTaskScript,
  findExpiredScript,
  joinJobScript,
  markCommitsScript,
  meetJobScript,
  mirrorGroupScript,
  pageTimersScript,
  readCellsScript,
  releaseTaskScript,
  removeExpiredElementsScript,
  removeExpiredScript,
  renewTasksScript,
  scanCellsScript,
];
