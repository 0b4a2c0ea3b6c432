-- Makes a group of a topic that of a job: from then on no plain consumer can join it, since positions of a job are its own.
--
-- KEYS[1]    meta      the topic's metadata
-- KEYS[2]    members   plain consumers of the group
-- ARGV[1]    group     text     name of the group
-- ARGV[2]    job       text     name of the job
-- Returns    OK
--            UNKNOWN when there is no such topic
--            JOB, name of the other job that has it
--            MEMBERS, ids of the consumers that are in the group now
-- Errors     WRONGTYPE when a key holds something else
-- Slot       the topic's own
-- Complexity O(members)
-- Resend     safe: the same job has it afterwards
-- Memory     full: goes on, since without members nobody works off what fills it; it writes one field
-- @include now
-- @include members

local meta, members = KEYS[1], KEYS[2]
local field, job = 'job:' .. ARGV[1], ARGV[2]
local facts = redis.call('HMGET', meta, 'partitions', field)
if not facts[1] then
  return { 'UNKNOWN' }
end
if facts[2] == job then
  return { 'OK' }
end
if facts[2] then
  return { 'JOB', facts[2] }
end
local alive = {}
for _, each in ipairs(members_alive(members, now_ms())) do
  alive[#alive + 1] = each[1]
end
if #alive > 0 then
  return { 'MEMBERS', alive }
end
redis.call('HSET', meta, field, job)
return { 'OK' }
