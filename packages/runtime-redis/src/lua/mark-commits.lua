-- Tells which commits of tasks this server has, and leaves a mark behind them: a replica that has the mark has those commits too.
--
-- What is told and the mark belong to one moment and one server, so a mark that a replica confirms speaks for no commit that a failover
-- has lost. The token says that the number is of our commits: within one acquisition each number is given to one commit.
--
-- KEYS[1]    mark      where the mark is left
-- KEYS[2...] tasks     for each task its lease and the facts of its last commit
-- ARGV[1]    value     text     the mark, never the same twice
-- ARGV[2]    ttl       integer  milliseconds until the mark is removed
-- ARGV[3...] tokens    text     the owner's token of each task
-- Returns    for each task the number of its last commit, or -1 when somebody else is the owner. Without any of an owner no mark is left
-- Errors     WRONGTYPE when a key holds something else
-- Slot       all tasks of a call in one, on a single server any
-- Complexity O(n) in the tasks
-- Resend     safe: it writes the same mark
-- @include owner

local last = {}
local owned = false
for task = 1, #ARGV - 2 do
  local seq = -1
  if is_owner(KEYS[2 * task], ARGV[task + 2]) then
    seq = tonumber(redis.call('HGET', KEYS[2 * task + 1], 'seq') or '-1')
    owned = true
  end
  last[task] = seq
end
if owned then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return last
