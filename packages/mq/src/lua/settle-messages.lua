-- Writes down how messages ended, all at once: acknowledged, to be retried, dead. Only the owner of the partition may.
--
-- The calls of an owner are numbered. One that was executed before does nothing, also when it comes late, after others: so the same
-- call can be sent again. When numbers are missing, Redis has lost calls that it had confirmed.
--
-- KEYS[1]    stream      the partition's log
-- KEYS[2]    lease       lease and position of the group
-- KEYS[3]    holds       what retention must keep
-- KEYS[4]    retries     id → due
-- KEYS[5]    attempts    id → attempts, delay of the retry
-- KEYS[6]    dead        dead letters of the partition
-- KEYS[7]    redelivery  what is delivered to this group again
-- ARGV[1]    token       text     the owner's token
-- ARGV[2]    group       text     name of the group
-- ARGV[3]    seq         integer  number of this call since the partition was acquired, from 1
-- ARGV[4]    low         text     low watermark: everything up to it is settled
-- ARGV[5]    started     text     the entry whose handler is about to start, '' for none, - for none and the crashes are dealt with, = for no change
-- ARGV[6...] outcomes    any      five lists, each its length and then its elements: acknowledged ids; redelivered ids that are done; ids whose
--                                 retries and attempts are forgotten; retries: id, attempts so far, delay in milliseconds;
--                                 dead: id, original id, attempts, reason, error, number of fields, fields of the entry. An id
--                                 of a redelivered entry begins with r except in the second list
-- Returns    OK, number of dead letters written (0 when the call was executed before)
--            FENCED | NOGROUP | FOREIGN | ROLLED_BACK
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(n) in the outcomes
-- Resend     safe: see above
-- Memory     full: goes on, since what is settled can be removed, and what is not is handled again
-- @include now
-- @include compare-ids
-- @include group

local stream, lease, holds, retries, attempts, dead, redelivery = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local group, seq, low, started = ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local before = redis.call('HMGET', lease, 'token', 'seq', 'low')
if before[1] ~= ARGV[1] then
  return { 'FENCED' }
end
local executed, stored = tonumber(before[2]), before[3]
if seq <= executed then
  return { 'OK', 0 }
end
if seq > executed + 1 then
  return { 'ROLLED_BACK' }
end
-- XACK says nothing of a group that is gone; what it was to acknowledge would be lost with it.
local exists, foreign = group_exists(stream, group)
if not exists then
  return { 'NOGROUP' }
end
-- What another consumer was given lies among ours: the low watermark would pass it.
if foreign then
  return { 'FOREIGN' }
end
local now = now_ms()
local at = 6

local function length()
  local n = tonumber(ARGV[at])
  at = at + 1
  return n
end

local function next_argument()
  at = at + 1
  return ARGV[at - 1]
end

local acknowledged = length()
-- A key of another type must be noticed before the first write.
redis.call('HLEN', holds)
if #ARGV > at + acknowledged + 3 then
  -- There is more than acknowledgements.
  redis.call('XLEN', redelivery)
  redis.call('ZCARD', retries)
  redis.call('HLEN', attempts)
  redis.call('XLEN', dead)
end
for first = at, at + acknowledged - 1, 1000 do
  redis.call('XACK', stream, group, unpack(ARGV, first, math.min(first + 999, at + acknowledged - 1)))
end
at = at + acknowledged

local done = length()
for first = at, at + done - 1, 1000 do
  redis.call('XDEL', redelivery, unpack(ARGV, first, math.min(first + 999, at + done - 1)))
end
at = at + done

for _ = 1, length() do
  local id = next_argument()
  redis.call('ZREM', retries, id)
  redis.call('HDEL', attempts, id)
end

for _ = 1, length() do
  local id, failed, delay = next_argument(), next_argument(), next_argument()
  redis.call('ZADD', retries, now + tonumber(delay), id)
  -- With the delay, since a due time says nothing once the server's clock has gone back.
  redis.call('HSET', attempts, id, failed .. ' ' .. delay)
end

local written = 0
for _ = 1, length() do
  local id, original, failed, reason, error_text = next_argument(), next_argument(), next_argument(), next_argument(), next_argument()
  local fields = length()
  local removed
  if string.sub(id, 1, 1) == 'r' then
    removed = redis.call('XDEL', redelivery, string.sub(id, 2))
  else
    removed = redis.call('XACK', stream, group, id)
  end
  if removed == 1 then
    redis.call('XADD', dead, '*', 'o', original, 'g', group, 'n', failed, 't', now, 'r', reason, 'e', error_text,
      unpack(ARGV, at, at + fields - 1))
    written = written + 1
  end
  redis.call('ZREM', retries, id)
  redis.call('HDEL', attempts, id)
  at = at + fields
end

if not stored or less_id(stored, low) then
  redis.call('HSET', lease, 'seq', seq, 'low', low)
  redis.call('HSET', holds, 'g:' .. group, low)
else
  redis.call('HSET', lease, 'seq', seq)
end
if started == '-' then
  redis.call('HDEL', lease, 'started', 'crashes', 'crashed-at')
elseif started == '' then
  redis.call('HDEL', lease, 'started')
elseif started ~= '=' then
  redis.call('HSET', lease, 'started', started)
end
return { 'OK', written }
