-- Reads a page of a large map, in the order of the bytes of its namespaces.
--
-- Nobody knows how large elements are before they are read: so they are read a few at a time until their bytes have used up a budget.
--
-- KEYS[1]    own       lease of the task
-- KEYS[2]    index     namespaces, all with score 0
-- KEYS[3]    elements  namespace → value
-- ARGV[1]    token     text     the owner's token; '' for somebody who only looks
-- ARGV[2]    after     bytes    `-` to begin at the first, else `(` and the namespace after which to go on
-- ARGV[3]    limit     integer  elements at most
-- ARGV[4]    budget    integer  bytes
-- Returns    OK, 1 when there may be more, namespaces and values in turn
--            FENCED somebody else is the owner
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the partition
-- Complexity O(log n + limit)
-- Resend     safe: it only reads
-- @include owner

local STEP = 64

local own, index, elements = KEYS[1], KEYS[2], KEYS[3]
local token, limit, budget = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
if token ~= '' and not is_owner(own, token) then
  return { 'FENCED' }
end

local names = redis.call('ZRANGEBYLEX', index, ARGV[2], '+', 'LIMIT', 0, limit)
local page, n = {}, 0
local at = 1
while at <= #names and budget > 0 do
  local last = math.min(at + STEP - 1, #names)
  local values = redis.call('HMGET', elements, unpack(names, at, last))
  for place = 1, #values do
    page[n + 1] = names[at + place - 1]
    page[n + 2] = values[place]
    n = n + 2
    budget = budget - #page[n - 1] - (values[place] and #values[place] or 0)
  end
  at = last + 1
end
return { 'OK', (at <= #names or #names == limit) and 1 or 0, page }
