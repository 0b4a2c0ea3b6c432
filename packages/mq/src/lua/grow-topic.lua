-- Gives a topic more partitions. Its shards stay: those of the streams that exist are part of their keys.
--
-- KEYS[1]    meta        the topic's metadata
-- ARGV[1]    partitions  integer  more than it has
-- ARGV[2]    request     text     id of this request, so that it is known again after a lost reply
-- Returns    GROWN | REFUSED, partitions, shards, version, createdAt: what the topic has now; REFUSED when that is as many or more
--            UNKNOWN when there is no such topic
-- Errors     WRONGTYPE when the key holds something else
-- Slot       the topic's own
-- Complexity O(1)
-- Resend     safe: the same request is answered with GROWN again
-- @include topic-facts

local meta = KEYS[1]
local now = redis.call('HMGET', meta, 'partitions', 'grownBy')
if not now[1] then
  return { 'UNKNOWN' }
end
if now[2] == ARGV[2] then
  return topic_facts(meta, 'GROWN')
end
if tonumber(ARGV[1]) <= tonumber(now[1]) then
  return topic_facts(meta, 'REFUSED')
end
redis.call('HSET', meta, 'partitions', ARGV[1], 'grownBy', ARGV[2])
redis.call('HINCRBY', meta, 'version', 1)
return topic_facts(meta, 'GROWN')
