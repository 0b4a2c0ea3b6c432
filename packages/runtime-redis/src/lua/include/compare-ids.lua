-- Stream ids as numbers of up to 64 bits: doubles would lose digits, and as text 5-10 is above 12-1.
local function split_id(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return ms, seq
end

local function less_number(a, b)
  if #a ~= #b then
    return #a < #b
  end
  return a < b
end

-- Whether id `a` stands before id `b`.
local function less_id(a, b)
  local a_ms, a_seq = split_id(a)
  local b_ms, b_seq = split_id(b)
  if a_ms ~= b_ms then
    return less_number(a_ms, b_ms)
  end
  return less_number(a_seq, b_seq)
end
