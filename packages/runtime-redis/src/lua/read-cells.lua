-- Reads cells of a task: values, and collections as a whole.
--
-- KEYS[1]    own       lease of the task
-- KEYS[2...] read      hashes of states, collections
-- ARGV[1]    token     text  the owner's token; '' for somebody who only looks
-- ARGV[2...] wanted    any   values: v, number of the hash (from 1), number of fields, fields. A collection: c, number of the hash that
--                            marks it, number of its own, field of the mark
-- Returns    OK, in the order of what was wanted each value or nil, and for a collection nil or { mark, ids and elements in turn }
--            FENCED somebody else is the owner
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(n) in what is read
-- Resend     safe: it only reads
-- @include owner

local own, token = KEYS[1], ARGV[1]
if token ~= '' and not is_owner(own, token) then
  return { 'FENCED' }
end

local reply, n = { 'OK' }, 1
local at, count = 2, #ARGV
while at <= count do
  local key = KEYS[1 + tonumber(ARGV[at + 1])]
  if ARGV[at] == 'v' then
    local from = at + 3
    at = from + tonumber(ARGV[at + 2])
    for next = from, at - 1, 1000 do
      local values = redis.call('HMGET', key, unpack(ARGV, next, math.min(next + 999, at - 1)))
      for place = 1, #values do
        reply[n + place] = values[place]
      end
      n = n + #values
    end
  else
    local mark = redis.call('HGET', key, ARGV[at + 3])
    n = n + 1
    reply[n] = mark and { mark, redis.call('HGETALL', KEYS[1 + tonumber(ARGV[at + 2])]) } -- @unbounded declared to be small, see the docs of map states
    at = at + 4
  end
end
return reply
