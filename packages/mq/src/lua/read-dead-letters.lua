-- Reads dead letters of one partition in order, until so many have been looked at or their bytes have used up a budget; one is
-- looked at always.
--
-- KEYS[1]    dead    dead letters of the partition
-- ARGV[1]    after   text     id after which to begin, 0-0 for the first
-- ARGV[2]    last    text     id of the last one that may be read, '' for the last one there is now
-- ARGV[3]    count   integer  dead letters to look at
-- ARGV[4]    budget  integer  bytes
-- ARGV[5]    group   text     only those of this group, '' for all
-- ARGV[6]    reason  text     only those with this reason, '' for all
-- ARGV[7]    parts   text     all, or facts: without the message
-- Returns    id of the last one that may be read, id of the last one looked at ('' when there are no more), how many were looked at,
--              { id, fields } of those that were wanted
-- Errors     WRONGTYPE when the key holds something else
-- Slot       the partition
-- Complexity O(count)
-- Resend     safe: it only reads

local dead = KEYS[1]
local after, last = ARGV[1], ARGV[2]
local budget, group, reason = tonumber(ARGV[4]), ARGV[5], ARGV[6]
local found = {}
if last == '' then
  local newest = redis.call('XREVRANGE', dead, '+', '-', 'COUNT', 1)[1]
  if not newest then
    return { '', '', 0, found }
  end
  last = newest[1]
end

local looked = 0
for _ = 1, tonumber(ARGV[3]) do
  if budget <= 0 then
    break
  end
  -- One by one: nobody knows how large they are.
  local entry = redis.call('XRANGE', dead, '(' .. after, last, 'COUNT', 1)[1]
  if not entry then
    return { last, '', looked, found }
  end
  looked = looked + 1
  after = entry[1]
  local fields = entry[2]
  for field = 2, #fields, 2 do
    budget = budget - #fields[field]
  end
  -- The fields of a dead letter: o, g, n, t, r, e with their values, then those of the message.
  if (group == '' or fields[4] == group) and (reason == '' or fields[10] == reason) then
    if ARGV[7] == 'facts' then
      entry[2] = { unpack(fields, 1, 12) }
    end
    found[#found + 1] = entry
  end
end
return { last, after, looked, found }
