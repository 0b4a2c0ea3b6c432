-- Says that a member of a job is there, what it owns and which tasks have ended, and learns who else is there and what has ended elsewhere.
--
-- KEYS[1]    members   member → time until which it counts as alive, its ttl, and what it says of itself, with spaces between
-- KEYS[2]    manifest  what the job is made of
-- KEYS[3]    ended     task:partition → 1, for the tasks of bounded sources that have ended
-- ARGV[1]    member    text     id of the member, unique per start
-- ARGV[2]    facts     text     what it says of itself; '' when it leaves
-- ARGV[3]    ttl       integer  milliseconds until it counts as gone unless it comes again; 0 when it leaves
-- ARGV[4]    hash      text     what names the manifest that it works by
-- ARGV[5]    known     integer  how many ended tasks it knows of
-- ARGV[6...] ends      text     tasks that have ended
-- Returns    OK, { member, milliseconds left, facts } of each member alive, ended tasks when there are others than it knows of
--            OTHER when the job is made of something else by now
--            LOST when nobody knows what it is made of any more
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the job's own
-- Complexity O(members), O(ended tasks) when they have changed
-- Resend     safe: it sets the time again
-- Memory     full: goes on, since without members nobody works off what fills it; it writes one field, and one for each task that ends
-- @include now
-- @include members

local members, manifest, ended = KEYS[1], KEYS[2], KEYS[3]
local ttl = tonumber(ARGV[3])
local now = now_ms()

local hash = redis.call('HGET', manifest, 'hash')
if hash ~= ARGV[4] then
  redis.call('HDEL', members, ARGV[1])
  return { hash and 'OTHER' or 'LOST' }
end
for at = 6, #ARGV do
  redis.call('HSET', ended, ARGV[at], 1)
end
note_member(members, ARGV[1], ttl, ARGV[2], now)

local known = {}
if redis.call('HLEN', ended) ~= tonumber(ARGV[5]) then
  known = redis.call('HKEYS', ended) -- @unbounded one per task
end
return { 'OK', members_alive(members, now), known }
