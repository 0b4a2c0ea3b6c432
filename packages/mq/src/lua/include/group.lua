-- Whether the group exists on the stream; without the stream it does not.
local function group_exists(stream, group)
  local summary = redis.pcall('XPENDING', stream, group)
  if summary.err then
    if string.find(summary.err, 'NOGROUP', 1, true) then
      return false
    end
    error(summary.err)
  end
  return true
end
