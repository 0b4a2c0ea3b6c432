-- The id up to which the group was given entries, and how many entries after it retention has removed, as far as Redis knows. The
-- group exists.
local function group_position(stream, group)
  local delivered, lag
  for _, facts in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    local fact = {}
    for at = 1, #facts, 2 do
      fact[facts[at]] = facts[at + 1]
    end
    if fact.name == group then
      delivered, lag = fact['last-delivered-id'], fact.lag
    end
  end

  local about = redis.call('XINFO', 'STREAM', stream)
  local length, first
  for at = 1, #about, 2 do
    if about[at] == 'length' then
      length = about[at + 1]
    elseif about[at] == 'recorded-first-entry-id' then
      first = about[at + 1]
    end
  end
  -- Everything that is left is new to the group: what it should still get and is not there was removed.
  local removed = 0
  if lag and (length == 0 or less_id(delivered, first)) then
    removed = math.max(0, lag - length)
  end
  return delivered, removed
end
