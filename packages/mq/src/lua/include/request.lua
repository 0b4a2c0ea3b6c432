-- What a request did before, `nil` when it is new: a call whose reply was lost is answered with what the first one did.
local function answer_before(request)
  local before = redis.call('GET', request)
  return before and tonumber(before)
end

-- Remembers what a request did, for longer than anybody sends it again.
local function remember_answer(request, answer)
  redis.call('SET', request, answer, 'PX', 600000)
  return answer
end
