-- Gives a lease back, so that the next owner need not wait for its end nor suspect a crash.
--
-- KEYS[1]    lease     lease and position of the group
-- ARGV[1]    token     text     the owner's token
-- Returns    1, or 0 when somebody else holds it
-- Errors     WRONGTYPE when the key holds something else
-- Slot       the partition
-- Complexity O(1)
-- Resend     safe: a token that is gone releases nothing
-- Memory     full: goes on, since it only removes
-- @include owner

local lease = KEYS[1]
if not is_owner(lease, ARGV[1]) then
  return 0
end
redis.call('HDEL', lease, 'token', 'until', 'ttl', 'owner', 'crashes', 'crashed-at', 'started')
return 1
