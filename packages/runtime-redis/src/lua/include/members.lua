-- Says that a member is there for `ttl` milliseconds from now, and what it tells the others; with 0 that it is not any more.
local function note_member(members, member, ttl, facts, now)
  if ttl > 0 then
    redis.call('HSET', members, member, string.format('%.0f %.0f %s', now + ttl, ttl, facts))
  else
    redis.call('HDEL', members, member)
  end
end

-- { member, milliseconds left, facts } of each member alive; those whose time is over are removed.
--
-- The server's clock may go back, at the latest with a failover: nobody counts as alive for longer than it said, from now.
local function members_alive(members, now)
  local alive = {}
  local all = redis.call('HGETALL', members) -- @unbounded one per process
  for at = 1, #all, 2 do
    local deadline, lasts, facts = string.match(all[at + 1], '^(%d+) (%d+) (.*)$')
    local left, longest = tonumber(deadline) - now, tonumber(lasts)
    if left > longest then
      redis.call('HSET', members, all[at], string.format('%.0f %s %s', now + longest, lasts, facts))
      left = longest
    end
    if left > 0 then
      alive[#alive + 1] = { all[at], left, facts }
    else
      redis.call('HDEL', members, all[at])
    end
  end
  return alive
end
