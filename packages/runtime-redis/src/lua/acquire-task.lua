-- Makes a process the owner of a task, when nobody else is, and gives it what the last commit stored.
--
-- A new task begins where the group of its job is, when plain consumers have worked with it before, else where it wants to begin. From then
-- on its position is its own, and the group of Redis only mirrors it.
--
-- An owner that did not give its lease back has crashed. The first crash may have any cause. Another one at the same position is
-- suspected of a record. One while a marked record was processed is that record's, and counts anew when the position has moved since.
--
-- KEYS[1]    own       lease of the task
-- KEYS[2]    meta      facts of the last commit
-- KEYS[3]    holds     what retention must keep of the log
-- KEYS[4]    log       the partition's log
-- KEYS[5]    plain     lease that plain consumers of the group have
-- ARGV[1]    token     text     random, new for each acquisition
-- ARGV[2]    owner     text     the process, for people
-- ARGV[3]    ttl       integer  milliseconds until the lease ends unless it is renewed
-- ARGV[4]    hold      text     field of the task in `holds`
-- ARGV[5]    job       text     name of the job
-- ARGV[6]    group     text     name of its group
-- ARGV[7]    from      text     id after which a new task of a new group begins, `$` for the end of the log
-- ARGV[8]    until     text     the last entry to read: an id, `$` for the last one now, `=` for none; '' without an end. What was fixed stays
-- Returns    OK, epoch, crashes, started (id or ''), server time, fields of `meta`
--            BUSY, milliseconds until the lease of the present owner ends, its name
--            CONSUMED, the same of a plain consumer that works as the group
--            ROLLED_BACK the task has had owners, but what the last commit stored is gone
-- Errors     WRONGTYPE when a key holds something else, NOPERM when the user may not do what a commit does; nothing is written
-- Slot       the partition
-- Complexity O(1); O(consumers) for a task that begins
-- Resend     safe: the same token acquires once
-- Memory     full: goes on, since without an owner nobody works off what fills it; it writes a few fields
-- @include now
-- @include compare-ids
-- @include lease-left
-- @include log-facts
-- @include group-start

local own, meta, holds, log, plain = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local token, ttl, group = ARGV[1], tonumber(ARGV[3]), ARGV[6]
local now = now_ms()

-- What this and a commit do, they have to be allowed to do: Redis does not take back what came before a command that it refuses.
for _, command in ipairs({
  { 'HSET', meta, 'f', 'v' },
  { 'HSETNX', meta, 'f', 'v' },
  { 'HINCRBY', meta, 'f', 1 },
  { 'HGETALL', meta },
  { 'HDEL', meta, 'f' },
  { 'HLEN', meta },
  { 'ZADD', meta, '0', 'm' },
  { 'ZREM', meta, 'm' },
  { 'ZCARD', meta },
  { 'XADD', meta, '*', 'f', 'v' },
  { 'XTRIM', meta, 'MINID', '~', '1-0' },
  { 'XLEN', meta },
  { 'XINFO', 'STREAM', meta },
  { 'EXISTS', meta },
  { 'UNLINK', meta },
  { 'TIME' },
}) do
  if not redis.acl_check_cmd(unpack(command, 1, #command)) then
    return redis.error_reply('NOPERM this user may not run ' .. command[1] .. ' on ' .. meta)
  end
end

-- A key of another type must be noticed before the first write.
redis.call('HLEN', meta)
redis.call('HLEN', holds)
redis.call('HLEN', plain)
redis.call('XLEN', log)

local left, owner = lease_left(own, token, now, ttl)
if left > 0 then
  return { 'BUSY', left, owner }
end
left, owner = lease_left(plain, '', now, ttl)
if left > 0 then
  return { 'CONSUMED', left, owner }
end

local offset = redis.call('HGET', meta, 'offset')
local is_new = not offset
if is_new and redis.call('HGET', own, 'epoch') then
  return { 'ROLLED_BACK' }
end
local facts = log_facts(log)
if is_new then
  local low = group_low(log, group, plain, facts.last)
  offset = low or ARGV[7]
  if offset == '$' then
    offset = facts.last
  end
  -- What plain consumers were given and did not acknowledge comes again, as entries after the position: nobody will acknowledge it.
  if low and group_facts(log, group) then
    for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', log, group)) do
      redis.call('XGROUP', 'DELCONSUMER', log, group, consumer[2])
    end
  end
  redis.call('HSET', meta, 'gen', token, 'seq', 0, 'offset', offset, 'count', 0)
  redis.call('HDEL', holds, 'g:' .. group)
  -- Where this cannot be told, the mirror finds out as soon as the task has read everything.
  local before = entries_up_to(facts, offset)
  if before then
    redis.call('HSET', own, 'before', before, 'added', facts.added, 'first', facts.first, 'whole', offset)
  else
    redis.call('HDEL', own, 'before')
  end
end
if ARGV[8] ~= '' then
  local last = ARGV[8]
  if last == '$' then
    last = facts.last
  elseif last == '=' then
    last = offset
  end
  redis.call('HSETNX', meta, 'until', last)
end

local before = redis.call('HMGET', own, 'token', 'crashes', 'crashed-at', 'started')
local held, crashes, started = before[1], tonumber(before[2] or '0'), before[4] or ''
if held ~= token then
  redis.call('HINCRBY', own, 'epoch', 1)
  if held then
    if before[3] == offset then
      crashes = crashes + 1
    else
      -- Of a marked record it is the first crash, but what was suspected before it still is.
      crashes = started ~= '' and 2 or 1
    end
  end
end
redis.call('HSET', own, 'token', token, 'until', now + ttl, 'ttl', ttl, 'owner', ARGV[2], 'crashes', crashes, 'crashed-at', offset)
redis.call('HSET', holds, ARGV[4], offset)
redis.call('HSET', plain, 'job', ARGV[5])
return { 'OK', tonumber(redis.call('HGET', own, 'epoch')), crashes, started, now, redis.call('HGETALL', meta) } -- @unbounded a few fields
