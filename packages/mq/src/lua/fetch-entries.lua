-- Delivers new entries to the owner of a partition, without blocking: only the owner, and only what it has room for.
--
-- What a call delivered whose reply was lost is pending, and the owner does not know it. It shows by the position: the owner says
-- up to where it has received, and is given what was delivered beyond that before anything new.
--
-- KEYS[1]    stream      the partition's log
-- KEYS[2]    lease       lease and position of the group
-- KEYS[3]    redelivery  what is delivered to this group again
-- KEYS[4]    retries     id → due
-- KEYS[5]    attempts    id → attempts
-- ARGV[1]    token       text     the owner's token
-- ARGV[2]    group       text     name of the group
-- ARGV[3]    consumer    text     name under which owners read
-- ARGV[4]    after       text     id of the last entry that the owner has received
-- ARGV[5]    count       integer  entries at most; up to half of them, rounded up, are redelivered ones
-- ARGV[6]    again       text     id after which redelivered entries are wanted
-- Returns    OK, new entries flat: id, m, k, h, d of each (id, all fields, and three times nil for one that is no envelope), where nil
--              stands for the m of the entry before, and for an empty k or h,
--            { id, fields, due or '', attempts or '' } of redelivered ones, { id, due or '', attempts or '' } of those new ones
--              that were tried before the group vanished
--            FENCED | NOGROUP | ROLLED_BACK when Redis has lost that it delivered what the owner has received
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(count)
-- Resend     safe: what the lost reply delivered is delivered again
-- @include owner
-- @include compare-ids

-- Only what differs from entry to entry: every element of a reply costs the client more than it costs Redis to leave it out.
local function flat(entries)
  local list = {}
  local n = 0
  local m_before
  for _, entry in ipairs(entries) do
    local fields = entry[2]
    list[n + 1] = entry[1]
    if #fields == 8 and fields[1] == 'm' and fields[3] == 'k' and fields[5] == 'h' and fields[7] == 'd' then
      local m = fields[2]
      list[n + 2] = m ~= m_before and m
      list[n + 3] = fields[4] ~= '' and fields[4]
      list[n + 4] = fields[6] ~= '' and fields[6]
      list[n + 5] = fields[8]
      m_before = m
    else
      list[n + 2] = fields
      list[n + 3] = false
      list[n + 4] = false
      list[n + 5] = false
    end
    n = n + 5
  end
  return list
end

local stream, lease, redelivery, retries, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local after, count = ARGV[4], tonumber(ARGV[5])
if not is_owner(lease, ARGV[1]) then
  return { 'FENCED' }
end
local position = redis.call('HMGET', lease, 'fetched', 'known')
local fetched, known = position[1], position[2]

-- A group that was made again is delivered entries anew whose attempts are known: up to the id in `known`. It goes once the owner has
-- received everything up to it, not before: this reply may be lost, and its entries asked for again.
local function known_facts(entries)
  local facts = {}
  if not known then
    return facts
  end
  if not less_id(after, known) then
    redis.call('HDEL', lease, 'known')
    return facts
  end
  for _, entry in ipairs(entries) do
    local id = entry[1]
    local due, failed = redis.call('ZSCORE', retries, id), redis.call('HGET', attempts, id)
    if due or failed then
      facts[#facts + 1] = { id, due or '', failed or '' }
    end
  end
  return facts
end

local again = {}
if redis.call('EXISTS', redelivery) == 1 then
  again = redis.call('XRANGE', redelivery, '(' .. ARGV[6], '+', 'COUNT', math.ceil(count / 2))
  count = count - #again
  for _, entry in ipairs(again) do
    local name = 'r' .. entry[1]
    entry[3] = redis.call('ZSCORE', retries, name) or ''
    entry[4] = redis.call('HGET', attempts, name) or ''
  end
end

if less_id(fetched, after) then
  return { 'ROLLED_BACK' }
end
if count == 0 then
  return { 'OK', {}, again, {} }
end
if fetched ~= after then
  local lost = redis.call('XRANGE', stream, '(' .. after, fetched, 'COUNT', count)
  -- Entries that retention has removed meanwhile are no reason to stand still.
  if #lost > 0 then
    return { 'OK', flat(lost), again, known_facts(lost) }
  end
end

local reply = redis.pcall('XREADGROUP', 'GROUP', ARGV[2], ARGV[3], 'COUNT', count, 'STREAMS', stream, '>')
if not reply then
  return { 'OK', {}, again, {} }
end
if reply.err then
  if string.find(reply.err, 'NOGROUP', 1, true) then
    return { 'NOGROUP' }
  end
  return reply
end
local entries = reply[1][2]
redis.call('HSET', lease, 'fetched', entries[#entries][1])
return { 'OK', flat(entries), again, known_facts(entries) }
