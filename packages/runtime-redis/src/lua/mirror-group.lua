-- Moves the group of a job to where the task is, for tools that look at groups, and finds out what the log has lost before the task was
-- given it. It means nothing to the task itself.
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
-- ARGV[5]    at       text     id of the last entry that was read, while no read is under way; '' while one is: then nothing is looked for
-- ARGV[6]    read     integer  entries that were read up to there
-- ARGV[7]    told     text     what was found before and has been told; '' for nothing
-- Returns    OK, entries of the log after the offset, -1 where only reading them could tell
--            the same, and what was found and not told yet: its name, after and before which id ('' for all that there were), how many, 0
--              where that is not known, 1 when the log was deleted
--            FENCED somebody else is the owner
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(1)
-- Resend     safe: it is absolute
-- Memory     full: goes on, since it writes over what is there
-- @include owner
-- @include compare-ids
-- @include log-facts
-- @include lost-entries

local own, log = KEYS[1], KEYS[2]
local group, offset, count = ARGV[2], ARGV[3], tonumber(ARGV[4])
if not is_owner(own, ARGV[1]) then
  return { 'FENCED' }
end

local facts = log_facts(log)
if ARGV[7] ~= '' and redis.call('HGET', own, 'gap-id') == ARGV[7] then
  redis.call('HDEL', own, 'gap')
end
if ARGV[5] ~= '' then
  look_for_gap(own, facts, ARGV[5], tonumber(ARGV[6]))
end
local read = entries_up_to(facts, offset)
local before = tonumber(redis.call('HGET', own, 'before') or '')
if before and not read then
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
local lag = read and facts.added - read or -1
local found = redis.call('HMGET', own, 'gap-id', 'gap')
if not found[2] then
  return { 'OK', lag }
end
local gap = cjson.decode(found[2])
return { 'OK', lag, found[1], gap[1], gap[2], gap[3], gap[4] and 1 or 0 }
