-- Gives a lease back, so that the next owner need not wait for its end, and suspects no crash.
--
-- KEYS[1]    own       lease of the task
-- ARGV[1]    token     text     the owner's token
-- Returns    1, or 0 when somebody else holds it
-- Errors     WRONGTYPE when the key holds something else
-- Slot       the partition
-- Complexity O(1)
-- Resend     safe: a token that is gone releases nothing
-- Memory     full: goes on, since it only removes
-- @include owner

local own = KEYS[1]
if not is_owner(own, ARGV[1]) then
  return 0
end
redis.call('HDEL', own, 'token', 'until', 'ttl', 'owner', 'crashes', 'crashed-at', 'started')
return 1
