-- Whether `token` is the one of the current owner. The token alone decides: an epoch can be lost in a failover.
local function is_owner(lease, token)
  return redis.call('HGET', lease, 'token') == token
end
