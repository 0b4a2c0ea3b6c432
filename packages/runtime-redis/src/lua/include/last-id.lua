-- The id that the stream gave out last, also when its entry is gone; 0-0 where there is no stream.
local function last_id(stream)
  local info = redis.pcall('XINFO', 'STREAM', stream)
  if info.err then
    return '0-0'
  end
  for at = 1, #info, 2 do
    if info[at] == 'last-generated-id' then
      return info[at + 1]
    end
  end
  return '0-0'
end
