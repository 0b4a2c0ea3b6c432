-- Time of the server in epoch milliseconds, the only clock that leases and retries know.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
