-- Removes elements of a large map that have expired, and its mark with the last one. As remove-expired.lua otherwise.
--
-- KEYS[1]    own       lease of the task
-- KEYS[2]    shard     marks of the maps of the state
-- KEYS[3]    index     namespaces of the map, all with score 0
-- KEYS[4]    elements  namespace → value with its header
-- ARGV[1]    token     text     the owner's token
-- ARGV[2]    now       integer  epoch milliseconds of the owner's clock
-- ARGV[3]    mark      bytes    field of the map in the shard
-- ARGV[4...] fields    bytes    what may have expired
-- Returns    OK, how many were removed
--            FENCED somebody else is the owner
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(n log m) in the fields and elements
-- Resend     safe: what is gone is not removed again
-- Memory     full: goes on, since it makes room
-- @include owner
-- @include expired

local own, shard, index, elements = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
if not is_owner(own, ARGV[1]) then
  return { 'FENCED' }
end
-- A key of another type must be noticed before the first write.
redis.call('ZCARD', index)
redis.call('HLEN', shard)

local now, removed = tonumber(ARGV[2]), 0
for at = 4, #ARGV do
  if has_expired(redis.call('HGET', elements, ARGV[at]), now) then
    removed = removed + redis.call('HDEL', elements, ARGV[at])
    redis.call('ZREM', index, ARGV[at])
  end
end
if redis.call('EXISTS', elements) == 0 then
  redis.call('HDEL', shard, ARGV[3])
end
return { 'OK', removed }
