-- The facts of a group of the log by name, `nil` when there is no such group.
local function group_facts(log, group)
  if redis.call('EXISTS', log) == 0 then
    return nil
  end
  for _, facts in ipairs(redis.call('XINFO', 'GROUPS', log)) do
    local fact = {}
    for at = 1, #facts, 2 do
      fact[facts[at]] = facts[at + 1]
    end
    if fact.name == group then
      return fact
    end
  end
  return nil
end

-- Up to where a group needs nothing any more, when plain consumers have worked with it before: `nil` when none have.
local function group_low(log, group, lease, last)
  local low = redis.call('HGET', lease, 'low')
  if low then
    -- A log that was deleted and made anew has lower ids than the group has seen.
    return less_id(last, low) and '0-0' or low
  end
  local facts = group_facts(log, group)
  if not facts then
    return nil
  end
  local pending = redis.call('XPENDING', log, group)
  if pending[1] == 0 then
    return facts['last-delivered-id']
  end
  local before = redis.call('XREVRANGE', log, '(' .. pending[2], '-', 'COUNT', 1)[1]
  return before and before[1] or '0-0'
end
