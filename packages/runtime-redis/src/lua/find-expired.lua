-- Looks through hashes of keyed state for what has expired, a part of them at a time.
--
-- KEYS[1]    own       lease of the task
-- KEYS[2...] hashes    values, marks of collections, or elements of large maps, each with its header
-- ARGV[1]    token     text     the owner's token
-- ARGV[2]    cursor    text     where to go on in the first of them: 0 to begin, else what the call before gave
-- ARGV[3]    count     integer  fields to look at, about
-- ARGV[4]    now       integer  epoch milliseconds of the owner's clock; -1: every field is wanted
-- Returns    OK, number of the hash to go on with (from 0; that of `hashes`: all were looked through), its cursor, how many fields were
--              looked at, then in turn number of a hash and field
--            FENCED somebody else is the owner
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(count + hashes)
-- Resend     safe: it only reads
-- @include owner
-- @include expired

local own, token, cursor, count, now = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if not is_owner(own, token) then
  return { 'FENCED' }
end
local found, n = {}, 0
local at, left = 2, count
while at <= #KEYS and left > 0 do
  local page = redis.call('HSCAN', KEYS[at], cursor, 'COUNT', left)
  local fields = page[2]
  for place = 1, #fields, 2 do
    if now == -1 or has_expired(fields[place + 1], now) then
      found[n + 1] = at - 2
      found[n + 2] = fields[place]
      n = n + 2
    end
  end
  left = left - #fields / 2
  cursor = page[1]
  if cursor == '0' then
    at = at + 1
  end
end
return { 'OK', at - 2, cursor, count - left, found }
