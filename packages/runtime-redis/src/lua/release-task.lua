-- Gives a lease back, so that the next owner need not wait for its end.
--
-- KEYS[1]    own       lease of the task
-- ARGV[1]    token     text     the owner's token
-- ARGV[2]    clean     integer  1 when the next owner need not suspect a crash; 0 when the work could not go on, which counts as one
-- Returns    1, or 0 when somebody else holds it
-- Errors     WRONGTYPE when the key holds something else
-- Slot       the partition
-- Complexity O(1)
-- Resend     safe: a token that is gone releases nothing
-- Memory     full: goes on, since it only removes or writes over what is there
-- @include owner

local own = KEYS[1]
if not is_owner(own, ARGV[1]) then
  return 0
end
if ARGV[2] == '1' then
  redis.call('HDEL', own, 'token', 'until', 'ttl', 'owner', 'crashes', 'crashed-at', 'started')
else
  redis.call('HSET', own, 'until', 0)
end
return 1
