-- Whether a stored value says that it has expired by `now`; see stored-value.ts for its header. What is not there has not.
local function has_expired(value, now)
  local expires = value and tonumber(string.match(value, '^%d+[bu]?;e(-?[%d.e+]+)[;|]') or '')
  return expires and expires <= now or false
end
