-- Extends the leases of an owner. One that is not the owner's any more is left as it is.
--
-- KEYS[1...] leases    leases of tasks
-- ARGV[1]    ttl       integer  milliseconds from now
-- ARGV[2...] tokens    text     the owner's token of each lease
-- Returns    for each lease 1, or 0 when somebody else holds it
-- Errors     WRONGTYPE when a key holds something else
-- Slot       all leases of a call in one, on a single server any
-- Complexity O(n) in the leases
-- Resend     safe: it sets the same tokens' time again
-- Memory     full: goes on, since without owners nobody works off what fills it; it writes over what is there
-- @include now
-- @include owner

local renewed = {}
local ttl = ARGV[1]
local deadline = now_ms() + tonumber(ttl)
for at = 1, #KEYS do
  if is_owner(KEYS[at], ARGV[at + 1]) then
    redis.call('HSET', KEYS[at], 'until', deadline, 'ttl', ttl)
    renewed[at] = 1
  else
    renewed[at] = 0
  end
end
return renewed
