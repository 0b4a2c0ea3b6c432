-- Reads the first timers of several queues, each of which lies on as many sorted sets as the task has shards.
--
-- KEYS[1]    own       lease of the task
-- KEYS[2...] queues    sorted sets of timers, by time
-- ARGV[1]    token     text     the owner's token; '' for somebody who only looks
-- ARGV[2]    count     integer  timers of each sorted set
-- Returns    OK, then the first members of each sorted set, in order
--            FENCED somebody else is the owner
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(keys · count)
-- Resend     safe: it only reads
-- @include owner

local own, token = KEYS[1], ARGV[1]
if token ~= '' and not is_owner(own, token) then
  return { 'FENCED' }
end
local reply = { 'OK' }
for at = 2, #KEYS do
  reply[at] = redis.call('ZRANGE', KEYS[at], 0, tonumber(ARGV[2]) - 1)
end
return reply
