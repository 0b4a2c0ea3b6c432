-- Removes values or collections that have expired. Each is looked at again: what was found may be another one by now.
--
-- To be called while the owner has nothing under way: what a batch that is not committed has made of a value must not be missing it.
--
-- KEYS[1]    own          lease of the task
-- KEYS[2]    hash         values, or marks of collections, each with its header
-- KEYS[3...] collections  those of the fields, in their order; none where the hash has values
-- ARGV[1]    token        text     the owner's token
-- ARGV[2]    now          integer  epoch milliseconds of the owner's clock
-- ARGV[3...] fields       bytes    what may have expired
-- Returns    OK, how many were removed
--            FENCED somebody else is the owner
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(n) in the fields
-- Resend     safe: what is gone is not removed again
-- Memory     full: goes on, since it makes room
-- @include owner
-- @include expired

local own, hash = KEYS[1], KEYS[2]
if not is_owner(own, ARGV[1]) then
  return { 'FENCED' }
end
local now, removed = tonumber(ARGV[2]), 0
for at = 3, #ARGV do
  if has_expired(redis.call('HGET', hash, ARGV[at]), now) then
    removed = removed + redis.call('HDEL', hash, ARGV[at])
    if KEYS[at] then
      redis.call('UNLINK', KEYS[at])
    end
  end
end
return { 'OK', removed }
