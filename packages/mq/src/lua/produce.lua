-- Appends a batch of messages to a partition, once: a batch that is already there is answered with the ids it has.
--
-- The messages of a batch get consecutive ids, so the first one says them all. What a producer sends again must be the same batch; what
-- it sends after another batch must have higher sequences, gaps are allowed.
--
-- KEYS[1]    stream    the partition's log
-- KEYS[2]    pid       producer → last sequence, first sequence, first id (ms and seq) of its last batch, with commas between
-- ARGV[1]    producer  text     id of the producer, unique
-- ARGV[2]    sequence  integer  sequence of the first message; the others follow on it
-- ARGV[3...] fields    bytes    the fields m, k, h and d of each message
-- Returns    OK, ms, seq      written: the id of the first message
--            DUP, ms, seq     written before: the id it has
--            STALE, last      not written: the producer has sent another batch with this sequence or a higher one
-- Errors     WRONGTYPE when a key holds something else, ERR when the fields are not complete; nothing is written
-- Slot       the partition
-- Complexity O(messages)
-- Resend     safe: the second call answers DUP
-- @include now

local stream, pid = KEYS[1], KEYS[2]
local producer, first = ARGV[1], tonumber(ARGV[2])
local messages = (#ARGV - 2) / 4
if messages < 1 or messages % 1 ~= 0 then
  return redis.error_reply('ERR produce needs four fields per message')
end
local last = first + messages - 1

local before = redis.call('HGET', pid, producer)
if before then
  local stored_last, stored_first, ms, seq = string.match(before, '^(%d+),(%d+),(%d+),(%d+)$')
  if tonumber(stored_last) >= first then
    if tonumber(stored_first) == first and tonumber(stored_last) == last then
      return { 'DUP', ms, seq }
    end
    return { 'STALE', stored_last }
  end
end

local id = redis.call('XADD', stream, '*', 'm', ARGV[3], 'k', ARGV[4], 'h', ARGV[5], 'd', ARGV[6])
local ms, seq = string.match(id, '^(%d+)-(%d+)$')
-- Within this call nobody else appends, so the sequences that Redis gives are consecutive.
local same_ms = ms .. '-*'
for at = 7, #ARGV, 4 do
  redis.call('XADD', stream, same_ms, 'm', ARGV[at], 'k', ARGV[at + 1], 'h', ARGV[at + 2], 'd', ARGV[at + 3])
end

if not before and redis.call('HLEN', pid) > 64 then
  -- Producers come and go. A sample for each new one keeps what is left of the old ones few, at a cost that does not grow.
  local old = now_ms() - 3600000
  local sample = redis.call('HRANDFIELD', pid, 64, 'WITHVALUES')
  for at = 1, #sample, 2 do
    if tonumber(string.match(sample[at + 1], ',(%d+),%d+$')) < old then
      redis.call('HDEL', pid, sample[at])
    end
  end
end
redis.call('HSET', pid, producer, string.format('%.0f,%.0f,%s,%s', last, first, ms, seq))
return { 'OK', ms, seq }
