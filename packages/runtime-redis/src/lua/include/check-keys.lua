-- The error of a key that holds another type than it should, `nil` for one that holds the right one or nothing. To be asked before
-- anything is written: Redis does not take back what a script has done when it fails half way.
local function wrong_type(key, type)
  local length
  if type == 'hash' then
    length = redis.pcall('HLEN', key)
  elseif type == 'zset' then
    length = redis.pcall('ZCARD', key)
  else
    length = redis.pcall('XLEN', key)
  end
  if tonumber(length) then
    return nil
  end
  if string.find(length.err, 'WRONGTYPE', 1, true) then
    return redis.error_reply('WRONGTYPE ' .. key .. ' should be a ' .. type .. ' and is a ' .. redis.call('TYPE', key).ok)
  end
  return length
end
