-- A status, and what the metadata of a topic says.
local function topic_facts(meta, status)
  local facts = redis.call('HMGET', meta, 'partitions', 'shards', 'version', 'createdAt')
  return { status, facts[1], facts[2], facts[3], facts[4] }
end
