-- Changes a task by one batch, as a whole or not at all: state, timers, results, facts of the operators, position.
--
-- What makes it right, in the order of the code:
-- 1. Only the owner: the token is compared, not an epoch or a time. Nothing else says that somebody else has taken over.
-- 2. Only once, and in order: `seq` is the number of the last commit plus one. The same number again is the same batch, whose reply was lost.
-- 3. Everything that could fail, fails before the first write: types of keys, the form of the changes, ids of entries. What Redis
--    itself refuses (memory, disk, replicas, a replica) it refuses at the first write, which is one that it refuses when memory is full.
-- 4. All writes are absolute. Entries of streams bring their ids and are left out where the stream is beyond them already. What
--    cannot be absolute (entries that share a stream with those of others) rests on 2.
-- 5. The hold on the log moves with the position, and both with the last writes of all, that of `seq` among them.
--
-- KEYS[1]    own       lease of the task
-- KEYS[2]    meta      facts of the last commit
-- KEYS[3]    holds     what retention must keep of the log
-- KEYS[4...] changed   every key that is changed, each once
-- ARGV[1]    token     text     the owner's token
-- ARGV[2]    seq       integer  number of this commit
-- ARGV[3]    hold      text     field of the task in `holds`
-- ARGV[4]    offset    text     id of the last entry that is settled
-- ARGV[5]    started   text     the entry whose processing is about to start, '' for none
-- ARGV[6]    recovered integer  1 when the crashes that were counted are dealt with
-- ARGV[7...] changes   any      number of fields of `meta` times two, names and values; then changes, each: what, number of its key (from
--                               1), number of values, values. What and its values:
--                               hset names and values | hdel names | zadd scores and members | zrem members | unlink none |
--                               mark number of the key of a collection, name, value: sets the field while the collection exists |
--                               xadd, append number of fields, then for each entry its id and fields; all entries of one change have as many |
--                               xtrim lowest id that is kept
-- Returns    OK | DUP executed before | FENCED somebody else is the owner | SEQ another commit is expected
-- Errors     WRONGTYPE, with the name of the key where it is one that is changed; ERR when a change has another form. Nothing is written
-- Slot       the partition
-- Complexity O(changes), O(log n) for each timer
-- Resend     safe: see 2
-- @include now
-- @include compare-ids
-- @include check-keys
-- @include last-id

local own, meta, holds = KEYS[1], KEYS[2], KEYS[3]
local seq, offset, started = tonumber(ARGV[2]), ARGV[4], ARGV[5]

-- 1.
local lease = redis.call('HMGET', own, 'token', 'ttl')
if lease[1] ~= ARGV[1] then
  return 'FENCED'
end
-- 2.
local last = tonumber(redis.call('HGET', meta, 'seq') or '-1')
if last == seq then
  return 'DUP'
end
if last ~= seq - 1 then
  return 'SEQ'
end

-- 3.
-- What goes through the stack of Lua at once, whose limit is near 8,000. ENTRY_VALUES is that of commit-limits.ts.
local MOST, ENTRY_VALUES = 1000, 2000

local function malformed(at)
  return redis.error_reply('ERR commit-task cannot read its argument ' .. at)
end

local function is_score(text)
  local score = tonumber(text)
  -- 1e400 is infinite for Lua, and no number for Redis.
  local finite = score and score == score and math.abs(score) < math.huge
  return (finite or string.find(string.lower(text), '^[+-]?inf$')) and not string.find(text, '%s')
end

local TYPES = { hset = 'hash', hdel = 'hash', zadd = 'zset', zrem = 'zset', xadd = 'stream', append = 'stream', xtrim = 'stream', mark = 'hash' }

local facts, count = tonumber(ARGV[7]), #ARGV
if not facts or facts % 2 ~= 0 or 8 + facts > count + 1 then
  return malformed(7)
end
local first = 8 + facts
local checked = {}

local wrong = wrong_type(holds, 'hash')
if wrong then
  return wrong
end
local at = first
while at <= count do
  local what, number, values = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local from = at + 3
  at = from + values
  local key, type = KEYS[3 + number], TYPES[what]
  if not key or at > count + 1 or not (type or what == 'unlink') then
    return malformed(from - 3)
  end
  if type and not checked[number] then
    wrong = wrong_type(key, type)
    if wrong then
      return wrong
    end
    checked[number] = type
  elseif type and checked[number] ~= type then
    return redis.error_reply('WRONGTYPE ' .. key .. ' is written to as a ' .. checked[number] .. ' and as a ' .. type)
  end
  if what == 'hset' then
    if values % 2 ~= 0 then
      return malformed(from - 1)
    end
  elseif what == 'zadd' then
    if values % 2 ~= 0 then
      return malformed(from - 1)
    end
    for score = from, at - 1, 2 do
      if not is_score(ARGV[score]) then
        return malformed(score)
      end
    end
  elseif what == 'mark' then
    for next = from, at - 1, 3 do
      if values % 3 ~= 0 or not KEYS[3 + tonumber(ARGV[next])] then
        return malformed(next)
      end
    end
  elseif what == 'xadd' or what == 'append' then
    local fields = tonumber(ARGV[from])
    if fields < 2 or fields > ENTRY_VALUES or fields % 2 ~= 0 or (values - 1) % (fields + 1) ~= 0 then
      return malformed(from)
    end
    for id = from + 1, at - 1, fields + 1 do
      if what == 'xadd' and not split_id(ARGV[id]) then
        return malformed(id)
      end
    end
  elseif what == 'xtrim' and not split_id(ARGV[from]) then
    return malformed(from)
  end
end

-- 4. The lease lasts anew from here, so that a busy task needs no renewal.
redis.call('HSET', own, 'until', now_ms() + tonumber(lease[2]), 'started', started)
if ARGV[6] == '1' then
  redis.call('HDEL', own, 'crashes', 'crashed-at')
end

at = first
while at <= count do
  local what, key, values = ARGV[at], KEYS[3 + tonumber(ARGV[at + 1])], tonumber(ARGV[at + 2])
  local from = at + 3
  at = from + values
  if what == 'hset' then
    for next = from, at - 1, MOST do
      redis.call('HSET', key, unpack(ARGV, next, math.min(next + MOST - 1, at - 1)))
    end
  elseif what == 'hdel' then
    for next = from, at - 1, MOST do
      redis.call('HDEL', key, unpack(ARGV, next, math.min(next + MOST - 1, at - 1)))
    end
  elseif what == 'zadd' then
    for next = from, at - 1, MOST do
      redis.call('ZADD', key, unpack(ARGV, next, math.min(next + MOST - 1, at - 1)))
    end
  elseif what == 'zrem' then
    for next = from, at - 1, MOST do
      redis.call('ZREM', key, unpack(ARGV, next, math.min(next + MOST - 1, at - 1)))
    end
  elseif what == 'mark' then
    for next = from, at - 1, 3 do
      if redis.call('EXISTS', KEYS[3 + tonumber(ARGV[next])]) == 1 then
        redis.call('HSET', key, ARGV[next + 1], ARGV[next + 2])
      else
        redis.call('HDEL', key, ARGV[next + 1])
      end
    end
  elseif what == 'unlink' then
    redis.call('UNLINK', key)
  elseif what == 'xadd' then
    local fields, top = tonumber(ARGV[from]), last_id(key)
    for next = from + 1, at - 1, fields + 1 do
      if less_id(top, ARGV[next]) then
        redis.call('XADD', key, ARGV[next], unpack(ARGV, next + 1, next + fields))
        top = ARGV[next]
      end
    end
  elseif what == 'append' then
    local fields = tonumber(ARGV[from])
    for next = from + 1, at - 1, fields + 1 do
      redis.call('XADD', key, '*', unpack(ARGV, next + 1, next + fields))
    end
  else
    redis.call('XTRIM', key, 'MINID', '~', ARGV[from])
  end
end

-- 5.
redis.call('HSET', holds, ARGV[3], offset)
redis.call('HSET', meta, 'seq', seq, 'offset', offset, unpack(ARGV, 8, first - 1))
return 'OK'
