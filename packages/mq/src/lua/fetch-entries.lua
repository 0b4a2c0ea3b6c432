-- Delivers new entries to the owner of a partition, without blocking: only the owner, and only what it has room for.
--
-- What a call delivered whose reply was lost is pending, and the owner does not know it. It shows by the position: the owner says
-- up to where it has received, and is given what was delivered beyond that before anything new.
--
-- Nobody knows how large entries are before they are read: so they are read a few at a time until their bytes have used up a budget.
-- One is read always.
--
-- KEYS[1]    stream      the partition's log
-- KEYS[2]    lease       lease and position of the group
-- KEYS[3]    redelivery  what is delivered to this group again
-- KEYS[4]    retries     id → due
-- KEYS[5]    attempts    id → attempts, delay of the retry
-- ARGV[1]    token       text     the owner's token
-- ARGV[2]    group       text     name of the group
-- ARGV[3]    consumer    text     name under which owners read
-- ARGV[4]    after       text     id of the last entry that the owner has received
-- ARGV[5]    count       integer  entries at most; up to half of them, rounded up, are redelivered ones
-- ARGV[6]    again       text     id after which redelivered entries are wanted
-- ARGV[7]    budget      integer  bytes; up to half of them for redelivered ones
-- ARGV[8]    step        integer  new entries to read at a time, at first; doubled up to 64
-- ARGV[9]    confirmed   integer  number of the last settle that was confirmed to the owner
-- Returns    OK, new entries flat: id, m, k, h, d of each (id, all fields, and three times nil for one that is no envelope), where nil
--              stands for the m of the entry before, and for an empty k or h,
--            { id, fields, due or '', attempts or '' } of redelivered ones, { id, due or '', attempts or '' } of those new ones
--              that were tried before the group vanished,
--              1 when there may be more redelivered ones, 1 when there may be more new ones
--            FENCED | NOGROUP | ROLLED_BACK when Redis has lost that it delivered what the owner has received, or a settle
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(count)
-- Resend     safe: what the lost reply delivered is delivered again
-- Memory     full: goes on, since what it delivers is worked off; it writes one field, and what is pending is bounded by the owner
-- @include compare-ids

-- Entries at a time when all before were small: fewer would cost more commands than reading ahead too much costs memory.
local MOST = 64

local stream, lease, redelivery, retries, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local group, consumer, after, count = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local budget, step = tonumber(ARGV[7]), tonumber(ARGV[8])

local position = redis.call('HMGET', lease, 'token', 'fetched', 'known', 'seq')
if position[1] ~= ARGV[1] then
  return { 'FENCED' }
end
local fetched, known = position[2], position[3]
if less_id(fetched, after) or tonumber(position[4]) < tonumber(ARGV[9]) then
  return { 'ROLLED_BACK' }
end

local function bytes_of(fields)
  local bytes = 0
  for at = 1, #fields do
    bytes = bytes + #fields[at]
  end
  return bytes
end

local again, again_left = {}, 0
if redis.call('EXISTS', redelivery) == 1 then
  local most, share, from = math.ceil(count / 2), budget / 2, ARGV[6]
  while #again < most and share > 0 do
    local entry = redis.call('XRANGE', redelivery, '(' .. from, '+', 'COUNT', 1)[1]
    if not entry then
      break
    end
    local name, bytes = 'r' .. entry[1], bytes_of(entry[2])
    from, share, budget = entry[1], share - bytes, budget - bytes
    entry[3] = redis.call('ZSCORE', retries, name) or ''
    entry[4] = redis.call('HGET', attempts, name) or ''
    again[#again + 1] = entry
  end
  if #again >= most or share <= 0 then
    again_left = 1
  end
  count = count - #again
end

-- Only what differs from entry to entry: every element of a reply costs the client more than it costs Redis to leave it out.
local list, n, m_before = {}, 0, nil
local function append(entries)
  local bytes = 0
  for at = 1, #entries do
    local entry = entries[at]
    local fields = entry[2]
    list[n + 1] = entry[1]
    if #fields == 8 and fields[1] == 'm' and fields[3] == 'k' and fields[5] == 'h' and fields[7] == 'd' then
      local m, k, h, d = fields[2], fields[4], fields[6], fields[8]
      list[n + 2] = m ~= m_before and m
      list[n + 3] = k ~= '' and k
      list[n + 4] = h ~= '' and h
      list[n + 5] = d
      m_before = m
      bytes = bytes + 4 + #m + #k + #h + #d
    else
      list[n + 2] = fields
      list[n + 3] = false
      list[n + 4] = false
      list[n + 5] = false
      bytes = bytes + bytes_of(fields)
    end
    n = n + 5
  end
  return bytes
end

-- A group that was made again is delivered entries anew whose attempts are known: up to the id in `known`. It goes once the owner has
-- received everything up to it, not before: this reply may be lost, and its entries asked for again.
local facts = {}
local function append_facts(entries)
  if not less_id(after, known) then
    redis.call('HDEL', lease, 'known')
    known = false
    return
  end
  for _, entry in ipairs(entries) do
    local id = entry[1]
    local due, failed = redis.call('ZSCORE', retries, id), redis.call('HGET', attempts, id)
    if due or failed then
      facts[#facts + 1] = { id, due or '', failed or '' }
    end
  end
end

-- What `read` finds, a few at a time. Returns the id of the last one, and whether there may be more.
local function read_all(read)
  local last = nil
  while count > 0 and budget > 0 do
    local most = math.min(step, count)
    local entries = read(most, last)
    local found = #entries
    if found > 0 then
      last = entries[found][1]
      local bytes = append(entries)
      if known then
        append_facts(entries)
      end
      count, budget = count - found, budget - bytes
      -- Not many at once of what is as large as these were.
      step = math.max(1, math.min(MOST, step * 2, math.ceil(budget * found / math.max(1, bytes))))
    end
    if found < most then
      return last, 0
    end
  end
  return last, 1
end

if fetched ~= after then
  local last = read_all(function(most, last)
    return redis.call('XRANGE', stream, '(' .. (last or after), fetched, 'COUNT', most)
  end)
  -- Entries that retention has removed meanwhile are no reason to stand still.
  if last then
    return { 'OK', list, again, facts, again_left, 1 }
  end
end

local failure
local last, more = read_all(function(most)
  local reply = redis.pcall('XREADGROUP', 'GROUP', group, consumer, 'COUNT', most, 'STREAMS', stream, '>')
  if not reply then
    return {}
  end
  if reply.err then
    failure = reply
    return {}
  end
  return reply[1][2]
end)
-- After a first portion there is no failure that matters: what it delivered must not be forgotten.
if failure and not last then
  if string.find(failure.err, 'NOGROUP', 1, true) then
    return { 'NOGROUP' }
  end
  return failure
end
if last then
  redis.call('HSET', lease, 'fetched', last)
end
return { 'OK', list, again, facts, again_left, more }
