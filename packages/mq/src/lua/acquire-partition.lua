-- Makes a member the owner of one partition for its group, when nobody else is, and sees to it that the group exists.
--
-- A group that vanished is made again at its low watermark, one that is new where it wants to begin. A stream that was deleted
-- and made anew has lower ids than the group has seen: then the group begins at its start.
--
-- The server's clock may go back, at the latest with a failover: a lease that would last longer than it was taken for lasts that
-- long from now.
--
-- KEYS[1]    stream    the partition's log
-- KEYS[2]    lease     lease and position of the group
-- KEYS[3]    holds     what retention must keep
-- KEYS[4]    retries   id → due
-- KEYS[5]    attempts  id → attempts, delay of the retry
-- ARGV[1]    group     text     name of the group
-- ARGV[2]    token     text     random, new for each acquisition
-- ARGV[3]    owner     text     the member, for people
-- ARGV[4]    ttl       integer  milliseconds until the lease ends unless it is renewed
-- ARGV[5]    from      text     id after which a new group begins, or `$`
-- Returns    OK, epoch, low, fetched, crashed (1 when owners crashed here twice or more in a row), started (id or ''), server time, entries
--              that were removed before the group was given them
--            BUSY, milliseconds until the lease of the present owner ends, its name
--            JOB, name of the job that the group belongs to: it has owners of its own
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(groups of the partition), O(retries) of a group that vanished
-- Resend     safe: the same token acquires once
-- Memory     full: goes on, since without an owner nobody works off what fills it; it writes a few fields
-- @include now
-- @include compare-ids
-- @include last-id
-- @include group
-- @include group-position

local stream, lease, holds, retries, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local group, token = ARGV[1], ARGV[2]
local ttl = tonumber(ARGV[4])
local now = now_ms()

local current = redis.call('HMGET', lease, 'token', 'until', 'owner', 'crashes', 'low', 'started', 'fetched', 'ttl',
  'crashed-at', 'job')
if current[10] then
  return { 'JOB', current[10] }
end
local held = current[1]
if held and held ~= token then
  local left = tonumber(current[2] or '0') - now
  local longest = tonumber(current[8] or ttl)
  if left > longest then
    redis.call('HSET', lease, 'until', now + longest)
    left = longest
  end
  if left > 0 then
    return { 'BUSY', left, current[3] or '' }
  end
end

-- A key of another type must be noticed before the first write.
redis.call('HLEN', holds)

local low, fetched, removed = current[5], nil, 0
if group_exists(stream, group) then
  -- A group that others made has no low watermark: all that it was given and has not acknowledged is pending.
  low = low or '0-0'
  fetched, removed = group_position(stream, group)
else
  local last = last_id(stream)
  if not low then
    low = ARGV[5]
    if low == '$' then
      low = last
    end
  elseif less_id(last, low) then
    low = '0-0'
    redis.call('DEL', retries, attempts)
  else
    -- What it was given above the low watermark comes again, and may have been tried; what is known of entries that are gone is not
    -- needed any more.
    -- It may vanish again before all of that has come.
    local known = redis.call('HGET', lease, 'known')
    if not known or less_id(known, current[7]) then
      redis.call('HSET', lease, 'known', current[7])
    end
    for _, id in ipairs(redis.call('HKEYS', attempts)) do -- @unbounded what was in flight when the group vanished
      if not string.find(id, '^r') and #redis.call('XRANGE', stream, id, id, 'COUNT', 1) == 0 then
        redis.call('HDEL', attempts, id)
        redis.call('ZREM', retries, id)
      end
    end
  end
  redis.call('XGROUP', 'CREATE', stream, group, low, 'MKSTREAM')
  fetched = low
end

local crashes = tonumber(current[4] or '0')
local epoch
if held == token then
  epoch = redis.call('HGET', lease, 'epoch')
else
  epoch = redis.call('HINCRBY', lease, 'epoch', 1)
  redis.call('HSET', lease, 'seq', 0)
  if held then
    -- The first crash may have any cause. Another one at the same position is suspected of a message, and one while a marked message
    -- ran is that message's, wherever the position is by then.
    crashes = (current[6] or current[9] == low) and crashes + 1 or 1
  end
end
redis.call('HSET', lease, 'token', token, 'until', now + ttl, 'ttl', ttl, 'owner', ARGV[3], 'crashes', crashes,
  'crashed-at', low, 'low', low, 'fetched', fetched)
redis.call('HSET', holds, 'g:' .. group, low)
return { 'OK', tonumber(epoch), low, fetched, crashes >= 2 and 1 or 0, current[6] or '', now, removed }
