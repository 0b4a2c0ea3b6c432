-- Makes the owner the consumer of what was delivered and is not settled, one page at a time and in order, and tells what is
-- known of it. Entries that the stream no longer has leave the list for good.
--
-- KEYS[1]    stream    the partition's log
-- KEYS[2]    lease     lease and position of the group
-- KEYS[3]    retries   id → due
-- KEYS[4]    attempts  id → attempts, delay of the retry
-- ARGV[1]    token     text     the owner's token
-- ARGV[2]    group     text     name of the group
-- ARGV[3]    consumer  text     name under which owners read
-- ARGV[4]    cursor    text     0-0, or what the page before returned
-- ARGV[5]    count     integer  entries per page, 1,000 at most
-- Returns    OK, next cursor (0-0 at the end), { id, due or '', attempts or '' } of each entry, ids that are gone
--            FENCED | NOGROUP
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(count), and O(consumers) with the last page
-- Resend     safe: a page again is the same page; what is gone is told once
-- Memory     full: goes on, since it only moves and removes
-- @include owner
-- @include group

local stream, lease, retries, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, consumer = ARGV[2], ARGV[3]
if not is_owner(lease, ARGV[1]) then
  return { 'FENCED' }
end
if not group_exists(stream, group) then
  return { 'NOGROUP' }
end

local page = redis.call('XAUTOCLAIM', stream, group, consumer, 0, ARGV[4], 'COUNT', ARGV[5], 'JUSTID')
local entries = {}
for at, id in ipairs(page[2]) do
  entries[at] = { id, redis.call('ZSCORE', retries, id) or '', redis.call('HGET', attempts, id) or '' }
end
for _, id in ipairs(page[3]) do
  redis.call('ZREM', retries, id)
  redis.call('HDEL', attempts, id)
end

if page[1] == '0-0' then
  -- Names without anything pending are left over from other tools or versions. One with something pending is never removed:
  -- that would throw its entries away.
  for _, facts in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
    local name, pending
    for at = 1, #facts, 2 do
      if facts[at] == 'name' then
        name = facts[at + 1]
      elseif facts[at] == 'pending' then
        pending = facts[at + 1]
      end
    end
    if name ~= consumer and pending == 0 then
      redis.call('XGROUP', 'DELCONSUMER', stream, group, name)
    end
  end
end
return { 'OK', page[1], entries, page[3] }
