-- How many milliseconds a lease of somebody else lasts, 0 when it has ended or there is none, and who has it.
--
-- The server's clock may go back, at the latest with a failover: a lease that would last longer than it was taken for lasts that
-- long from now.
local function lease_left(lease, token, now, ttl)
  local held = redis.call('HMGET', lease, 'token', 'until', 'ttl', 'owner')
  if not held[1] or held[1] == token then
    return 0, ''
  end
  local left, longest = tonumber(held[2] or '0') - now, tonumber(held[3] or ttl)
  if left > longest then
    redis.call('HSET', lease, 'until', now + longest)
    left = longest
  end
  return math.max(0, left), held[4] or ''
end
