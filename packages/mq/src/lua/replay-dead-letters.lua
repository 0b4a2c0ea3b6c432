-- Moves dead letters of one partition to what their group is delivered again: their message as it was, with new attempts.
--
-- KEYS[1]    dead        dead letters of the partition
-- KEYS[2]    redelivery  what is delivered to the group again
-- KEYS[3]    request     what this request has done
-- KEYS[4]    lease       lease of the group: says whether it is a job's
-- ARGV[1]    group       text     only dead letters of this group are moved
-- ARGV[2...] ids         text     ids of dead letters
-- Returns    number of dead letters that this request moved; the others are gone or of another group
--            name of the job, as text, when the group is a job's, which reads nothing that is redelivered; nothing was moved
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(n) in the ids
-- Resend     safe: the second call answers what the first one did
-- @include request

local dead, redelivery, request = KEYS[1], KEYS[2], KEYS[3]
local job = redis.call('HGET', KEYS[4], 'job')
if job then
  return job
end
local before = answer_before(request)
if before then
  return before
end
-- A key of another type must be noticed before the first write.
redis.call('XLEN', redelivery)
local moved = 0
for at = 2, #ARGV do
  local entry = redis.call('XRANGE', dead, ARGV[at], ARGV[at], 'COUNT', 1)[1]
  -- The fields of a dead letter: o, g, n, t, r, e with their values, then those of the message.
  if entry and entry[2][3] == 'g' and entry[2][4] == ARGV[1] then
    local fields = entry[2]
    redis.call('XADD', redelivery, '*', 'o', fields[2], unpack(fields, 13, #fields))
    redis.call('XDEL', dead, ARGV[at])
    moved = moved + 1
  end
end
return remember_answer(request, moved)
