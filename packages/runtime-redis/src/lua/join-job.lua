-- Makes a process a member of a job, when the job is what the process takes it for.
--
-- What a job is made of is written down as its manifest. It changes only while no other member is there: all members have the same.
--
-- KEYS[1]    members   member → time until which it counts as alive, its ttl, and what it says of itself, with spaces between
-- KEYS[2]    manifest  hash: what names the present text; text; ends: where bounded sources end, fixed by the first member
-- ARGV[1]    member    text     id of the member, unique per start
-- ARGV[2]    facts     text     what it says of itself
-- ARGV[3]    ttl       integer  milliseconds until it counts as gone unless it comes again
-- ARGV[4]    known     text     hash of the manifest that the member has compared with; '' for none
-- ARGV[5]    hash      text     what names its own
-- ARGV[6]    text      text     its own
-- ARGV[7]    ends      text     where bounded sources end: what was fixed for those that there were, and its own for new ones
-- Returns    OK, ends as they were fixed
--            CHANGED when the manifest is another one than the member has compared with
--            LIVE, names of the members that are there, when it would change under them
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the job's own
-- Complexity O(members)
-- Resend     safe: it writes the same again
-- Memory     full: goes on, since without members nobody works off what fills it; it writes a few fields
-- @include now
-- @include members

local members, manifest = KEYS[1], KEYS[2]
local member, hash = ARGV[1], ARGV[5]
local now = now_ms()

local present = redis.call('HGET', manifest, 'hash') or ''
local alive = members_alive(members, now)
if present ~= hash then
  if present ~= ARGV[4] then
    return { 'CHANGED' }
  end
  local others = {}
  for _, each in ipairs(alive) do
    if each[1] ~= member then
      others[#others + 1] = each[1]
    end
  end
  -- Without a manifest there is nothing that they could have in common.
  if present ~= '' and #others > 0 then
    return { 'LIVE', others }
  end
  redis.call('HSET', manifest, 'hash', hash, 'text', ARGV[6], 'ends', ARGV[7])
end
note_member(members, member, tonumber(ARGV[3]), ARGV[2], now)
return { 'OK', redis.call('HGET', manifest, 'ends') }
