-- Appends what a task has sent to a partition of a topic, each entry once: what is there already is left out.
--
-- The task lies in another slot, so neither its token nor its commit can be looked at. What makes it right is that only committed
-- entries are sent, each at a position that never has other contents in one history (`gen`) of the task: an owner that has lost
-- its lease can only append what is right. `previous` shows that nothing between was lost on either side.
--
-- KEYS[1]    stream    the partition's log
-- KEYS[2]    sources   source → gen and last position that was appended
-- ARGV[1]    source    text     who sends: job, task, partition and sink
-- ARGV[2]    gen       text     the history that the positions belong to
-- ARGV[3]    replaces  text     another history that was found here and may be replaced, '' for none
-- ARGV[4]    previous  text     position of the entry before the first one that was sent here, 0-0 for none
-- ARGV[5...] entries   any      for each entry, by rising positions: its position and the fields m, k, h and d
-- Returns    OK, number of entries that were appended
--            GAP, last     nothing was written: entries up to `previous` are missing here
--            OTHER, gen    nothing was written: another history has been here
-- Errors     WRONGTYPE when a key holds something else, ERR when fields are missing or a position is no id; nothing is written
-- Slot       the partition
-- Complexity O(entries)
-- Resend     safe: the second call finds everything there
-- @include compare-ids

local stream, sources = KEYS[1], KEYS[2]
local source, gen, previous = ARGV[1], ARGV[2], ARGV[4]
if #ARGV < 9 or (#ARGV - 4) % 5 ~= 0 then
  return redis.error_reply('ERR append-outputs needs a position and four fields per entry')
end
local well_formed = split_id(previous)
for at = 5, #ARGV, 5 do
  well_formed = well_formed and split_id(ARGV[at])
end
if not well_formed then
  return redis.error_reply('ERR append-outputs was given a position that is no id')
end
local last = '0-0'
local stored = redis.call('HGET', sources, source)
if stored then
  local stored_gen, position = string.match(stored, '^(%S+) (%S+)$')
  if stored_gen == gen then
    last = position
  elseif stored_gen ~= ARGV[3] then
    return { 'OTHER', stored_gen }
  end
end
if less_id(last, previous) then
  return { 'GAP', last }
end

local appended = 0
for at = 5, #ARGV, 5 do
  if less_id(last, ARGV[at]) then
    redis.call('XADD', stream, '*', 'm', ARGV[at + 1], 'k', ARGV[at + 2], 'h', ARGV[at + 3], 'd', ARGV[at + 4])
    appended = appended + 1
  end
end
if appended > 0 then
  redis.call('HSET', sources, source, gen .. ' ' .. ARGV[#ARGV - 4])
end
return { 'OK', appended }
