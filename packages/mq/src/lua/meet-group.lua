-- Says that a member of a group is there, what it owns, and learns who else is.
--
-- The server's clock may go back, at the latest with a failover: nobody counts as alive for longer than it said, from now.
--
-- KEYS[1]    meta      the topic's metadata
-- KEYS[2]    members   member → time until which it counts as alive, its ttl, and what it says of itself, with spaces between
-- ARGV[1]    member    text     id of the member, unique per start
-- ARGV[2]    facts     text     what it says of itself; '' when it leaves
-- ARGV[3]    ttl       integer  milliseconds until it counts as gone unless it comes again; 0 when it leaves
-- ARGV[4]    group     text     name of the group
-- Returns    OK, partitions, shards, { member, milliseconds left, facts } of each member alive
--            UNKNOWN when there is no such topic
--            JOB, name of the job that the group belongs to: it has no members
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the topic's own
-- Complexity O(members)
-- Resend     safe: it sets the time again
-- Memory     full: goes on, since without members nobody works off what fills it; it writes one field
-- @include now

local meta, members = KEYS[1], KEYS[2]
local now = now_ms()
local ttl = tonumber(ARGV[3])
local counts = redis.call('HMGET', meta, 'partitions', 'shards', 'job:' .. ARGV[4])
if not counts[1] and ttl > 0 then
  return { 'UNKNOWN' }
end
if counts[3] and ttl > 0 then
  return { 'JOB', counts[3] }
end
if ttl > 0 then
  redis.call('HSET', members, ARGV[1], string.format('%.0f %.0f %s', now + ttl, ttl, ARGV[2]))
else
  redis.call('HDEL', members, ARGV[1])
end
if not counts[1] then
  return { 'UNKNOWN' }
end

local alive = {}
local all = redis.call('HGETALL', members) -- @unbounded one per process
for at = 1, #all, 2 do
  local deadline, lasts, facts = string.match(all[at + 1], '^(%d+) (%d+) (.*)$')
  local left, longest = tonumber(deadline) - now, tonumber(lasts)
  if left > longest then
    redis.call('HSET', members, all[at], string.format('%.0f %s %s', now + longest, lasts, facts))
    left = longest
  end
  if left > 0 then
    alive[#alive + 1] = { all[at], left, facts }
  else
    redis.call('HDEL', members, all[at])
  end
end
return { 'OK', tonumber(counts[1]), tonumber(counts[2]), alive }
