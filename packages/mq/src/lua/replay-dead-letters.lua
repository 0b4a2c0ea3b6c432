-- Moves dead letters of one partition to what their group is delivered again.
--
-- KEYS[1]    dead        dead letters of the partition
-- KEYS[2]    redelivery  what is delivered to the group again
-- ARGV[1]    group       text     only dead letters of this group are moved
-- ARGV[2...] ids         text     ids of dead letters
-- Returns    number of dead letters that were moved; the others are gone or of another group
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(n) in the ids
-- Resend     unsafe: what the first call moved the second one does not count

local dead, redelivery = KEYS[1], KEYS[2]
local moved = 0
for at = 2, #ARGV do
  local entry = redis.call('XRANGE', dead, ARGV[at], ARGV[at], 'COUNT', 1)[1]
  -- The fields of a dead letter: o, g, n, t, r, e with their values, then those of the message.
  if entry and entry[2][4] == ARGV[1] then
    local fields = { 'o', entry[2][2] }
    for field = 13, #entry[2] do
      fields[#fields + 1] = entry[2][field]
    end
    redis.call('XADD', redelivery, '*', unpack(fields, 1, #fields))
    redis.call('XDEL', dead, ARGV[at])
    moved = moved + 1
  end
end
return moved
