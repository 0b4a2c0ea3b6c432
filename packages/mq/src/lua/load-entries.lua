-- Reads entries that are pending, in the order given, until their bodies have used up a budget; the first one always.
--
-- KEYS[1]    stream    the partition's log
-- ARGV[1]    budget    integer  bytes
-- ARGV[2...] ids       text     1,000 at most
-- Returns    { id, fields } of each entry read, fields = false when the stream no longer has it; what is not listed did not fit
-- Errors     WRONGTYPE when the key holds something else
-- Slot       the partition
-- Complexity O(n) in the ids
-- Resend     safe: it only reads

local stream = KEYS[1]
local budget = tonumber(ARGV[1])
local entries = {}
for at = 2, #ARGV do
  if budget <= 0 then
    break
  end
  local found = redis.call('XRANGE', stream, ARGV[at], ARGV[at], 'COUNT', 1)[1]
  local fields = false
  if found then
    fields = found[2]
    for field = 2, #fields, 2 do
      budget = budget - #fields[field]
    end
  end
  entries[at - 1] = { ARGV[at], fields }
end
return entries
