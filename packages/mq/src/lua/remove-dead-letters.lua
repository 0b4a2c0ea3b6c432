-- Removes dead letters of one partition for good.
--
-- KEYS[1]    dead     dead letters of the partition
-- KEYS[2]    request  what this request has done
-- ARGV[1...] ids      text  ids of dead letters, 1,000 at most
-- Returns    number of dead letters that this request removed; the others are gone
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(n) in the ids
-- Resend     safe: the second call answers what the first one did
-- Memory     full: goes on, since it makes room; it writes one short key
-- @include request

local dead, request = KEYS[1], KEYS[2]
local before = answer_before(request)
if before then
  return before
end
return remember_answer(request, redis.call('XDEL', dead, unpack(ARGV, 1, #ARGV)))
