-- Creates a topic, unless it exists.
--
-- KEYS[1]    meta        the topic's metadata
-- ARGV[1]    partitions  integer  of a new topic
-- ARGV[2]    shards      integer  of a new topic
-- Returns    CREATED | EXISTS, partitions, shards, version, createdAt: what the topic has
-- Errors     WRONGTYPE when the key holds something else
-- Slot       the topic's own
-- Complexity O(1)
-- Resend     safe: what exists is not changed
-- @include now
-- @include topic-facts

local meta = KEYS[1]
if redis.call('HSETNX', meta, 'partitions', ARGV[1]) == 0 then
  return topic_facts(meta, 'EXISTS')
end
redis.call('HSET', meta, 'shards', ARGV[2], 'version', '1', 'createdAt', string.format('%.0f', now_ms()))
return topic_facts(meta, 'CREATED')
