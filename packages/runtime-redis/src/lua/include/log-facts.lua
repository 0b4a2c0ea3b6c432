-- What is known of a log: { length, added: entries there have ever been, first: id of the first one, last: the id that was given out last,
-- deleted: the highest id that was deleted by itself, not by trimming }.
local function log_facts(log)
  local facts = { length = 0, added = 0, first = '0-0', last = '0-0', deleted = '0-0' }
  if redis.call('XLEN', log) == 0 and redis.call('EXISTS', log) == 0 then
    return facts
  end
  local info = redis.call('XINFO', 'STREAM', log)
  for at = 1, #info, 2 do
    local name, value = info[at], info[at + 1]
    if name == 'length' then
      facts.length = value
    elseif name == 'entries-added' then
      facts.added = value
    elseif name == 'recorded-first-entry-id' then
      facts.first = value
    elseif name == 'last-generated-id' then
      facts.last = value
    elseif name == 'max-deleted-entry-id' then
      facts.deleted = value
    end
  end
  return facts
end

-- How many entries there have ever been up to `id`, `nil` where only reading them all could tell.
local function entries_up_to(facts, id)
  if not less_id(id, facts.last) then
    return facts.added
  end
  if facts.length == 0 or less_id(id, facts.first) then
    return facts.added - facts.length
  end
  return nil
end
