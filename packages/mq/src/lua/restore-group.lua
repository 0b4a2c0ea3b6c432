-- Makes a group again that vanished while it had an owner: at the position up to which the owner has received entries, with those
-- pending that the owner has not settled. So nothing is delivered twice and nothing is lost.
--
-- KEYS[1]    stream    the partition's log
-- KEYS[2]    lease     lease and position of the group
-- ARGV[1]    token     text     the owner's token
-- ARGV[2]    group     text     name of the group
-- ARGV[3]    consumer  text     name under which owners read
-- ARGV[4...] ids       text     ids of entries that the owner has not settled
-- Returns    OK
--            RESET when the stream itself was deleted: the owner acquires the partition anew
--            FENCED
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(n) in the ids
-- Resend     safe: a group that exists is left as it is
-- @include owner
-- @include compare-ids
-- @include last-id
-- @include group

local stream, lease = KEYS[1], KEYS[2]
local group, consumer = ARGV[2], ARGV[3]
if not is_owner(lease, ARGV[1]) then
  return { 'FENCED' }
end
if group_exists(stream, group) then
  return { 'OK' }
end
local fetched = redis.call('HGET', lease, 'fetched')
if less_id(last_id(stream), fetched) then
  return { 'RESET' }
end
redis.call('XGROUP', 'CREATE', stream, group, fetched, 'MKSTREAM')
for first = 4, #ARGV, 1000 do
  local claim = { stream, group, consumer, 0 }
  for at = first, math.min(first + 999, #ARGV) do
    claim[#claim + 1] = ARGV[at]
  end
  claim[#claim + 1] = 'FORCE'
  claim[#claim + 1] = 'JUSTID'
  -- @key the first element is the stream @bounded 1,000 ids
  redis.call('XCLAIM', unpack(claim))
end
return { 'OK' }
