-- Moves the group of a job to where the task is, for tools that look at groups. It means nothing to the task itself.
--
-- Redis tells the lag of a group only where it knows how many entries the group has read. The task counts its own; how many there were
-- before is known when the task began at the end of the log or before its first entry, and else from the first time on that
-- it has read everything.
--
-- KEYS[1]    own       lease of the task
-- KEYS[2]    log       the partition's log
-- ARGV[1]    token     text     the owner's token
-- ARGV[2]    group     text     name of the group
-- ARGV[3]    offset    text     id of the last entry that is settled
-- ARGV[4]    count     integer  entries that the task has settled
-- Returns    OK, entries of the log after the offset, -1 where only reading them could tell
--            FENCED somebody else is the owner
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(1)
-- Resend     safe: it is absolute
-- Memory     full: goes on, since it writes over what is there
-- @include owner
-- @include compare-ids
-- @include log-facts

local own, log = KEYS[1], KEYS[2]
local group, offset, count = ARGV[2], ARGV[3], tonumber(ARGV[4])
if not is_owner(own, ARGV[1]) then
  return { 'FENCED' }
end

local facts = log_facts(log)
local read = entries_up_to(facts, offset)
local before = tonumber(redis.call('HGET', own, 'before') or '')
if read then
  if before ~= read - count then
    redis.call('HSET', own, 'before', read - count)
  end
elseif before then
  -- Entries that were removed unread have been counted by nobody.
  read = math.min(facts.added, math.max(before + count, facts.added - facts.length + 1))
end

local function set_position()
  if read then
    return redis.pcall('XGROUP', 'SETID', log, group, offset, 'ENTRIESREAD', read)
  end
  return redis.pcall('XGROUP', 'SETID', log, group, offset)
end

local reply = redis.call('EXISTS', log) == 1 and set_position() or { err = 'NOGROUP' }
if reply.err then
  if not string.find(reply.err, 'NOGROUP', 1, true) then
    return reply
  end
  redis.call('XGROUP', 'CREATE', log, group, offset, 'MKSTREAM')
  set_position()
end
return { 'OK', read and facts.added - read or -1 }
