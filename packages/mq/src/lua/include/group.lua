-- Whether the group exists on the stream (without the stream it does not), and whether others than owners have entries of it pending.
local function group_exists(stream, group)
  local summary = redis.pcall('XPENDING', stream, group)
  if summary.err then
    if string.find(summary.err, 'NOGROUP', 1, true) then
      return false
    end
    error(summary.err)
  end
  local consumers = summary[4]
  return true, consumers and (#consumers > 1 or consumers[1][1] ~= 'owner')
end
