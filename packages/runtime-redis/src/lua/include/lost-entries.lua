-- Entries that were removed from the log before the task was given them. How many entries there have been before a position says how many
-- of them nobody has counted: `before` is what the task was not given, and grows only by what was lost.
--
-- In `own`: before · added, first: of the log, at the last look · whole: up to where nothing is missing that was not found · gap: what was found and
-- not told yet, as a JSON list of after, before, count and anew · gap-id: which one that is.

-- Looks where a reader is that was given `read` entries, up to `at`, and none since.
local function look_for_gap(own, facts, at, read)
  local stored = redis.call('HMGET', own, 'before', 'added', 'whole', 'gap', 'first')
  local before, added, whole = tonumber(stored[1] or ''), tonumber(stored[2] or ''), stored[3] or at
  local known = entries_up_to(facts, at)
  -- A log that was deleted and made anew counts from the start: it has had fewer than were read of it.
  local anew = added ~= nil and facts.added < added or before ~= nil and known ~= nil and known - read < before
  local lost = 0
  if before and known then
    if anew then
      -- Of the old one, `read - known` entries were read.
      lost = math.max(0, (added or 0) - before - (read - known))
    else
      lost = math.max(0, known - read - before)
    end
  end
  -- What is behind the first entry is all there, unless it was deleted by itself.
  local untouched = (facts.first == stored[5] or not less_id(whole, facts.first)) and not less_id(whole, facts.deleted)
  if known then
    redis.call('HSET', own, 'before', known - read)
  elseif anew then
    redis.call('HDEL', own, 'before')
  end
  redis.call('HSET', own, 'added', facts.added)
  if known or untouched or anew then
    redis.call('HSET', own, 'first', facts.first, 'whole', at)
  end
  if lost == 0 and not anew then
    return
  end
  if stored[4] then
    local known_gap = cjson.decode(stored[4])
    whole, lost, anew = known_gap[1], lost + known_gap[3], anew or known_gap[4]
  end
  local next_id = ''
  if known and not less_id(at, facts.last) then
    next_id = at
  elseif facts.length > 0 then
    next_id = facts.first
  end
  redis.call('HSET', own, 'gap', cjson.encode({ whole, next_id, lost, anew }))
  redis.call('HINCRBY', own, 'gap-id', 1)
end
