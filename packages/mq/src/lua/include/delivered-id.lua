-- The id up to which the group was given entries; the group exists.
local function delivered_id(stream, group)
  for _, facts in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    local name, delivered
    for at = 1, #facts, 2 do
      if facts[at] == 'name' then
        name = facts[at + 1]
      elseif facts[at] == 'last-delivered-id' then
        delivered = facts[at + 1]
      end
    end
    if name == group then
      return delivered
    end
  end
end
