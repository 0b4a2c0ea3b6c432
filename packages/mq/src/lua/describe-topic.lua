-- What a topic has.
--
-- KEYS[1]    meta  the topic's metadata
-- Returns    OK, partitions, shards, version, createdAt
--            UNKNOWN when there is no such topic
-- Errors     WRONGTYPE when the key holds something else
-- Slot       the topic's own
-- Complexity O(1)
-- Resend     safe: it only reads
-- @include topic-facts

local meta = KEYS[1]
if redis.call('HEXISTS', meta, 'partitions') == 0 then
  return { 'UNKNOWN' }
end
return topic_facts(meta, 'OK')
