-- Stores one registry record and keeps every index over the records in step, as one atomic step.
--
-- KEYS[1]  prefix of all keys
-- ARGV     tenant, document id, mode, head ("seq accepted etag"), document as JSON
-- Modes    'hot': replace the document of the same fence and version, where nothing changes that must be durable
--          'manifest': replace what an older write of the manifest left
-- A fence grows in the manifest alone: a record whose fence is lower than the holder's is as good as missing.
-- Answers  {outcome, what is stored after it}; outcomes: saved, missing, stale, durable, older

local prefix, tenant, id, mode, head, text = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local records, member = prefix .. 'records:' .. tenant, tenant .. '/' .. id

local function decoded(json)
    local fields = cjson.decode(json)
    fields.state = fields.state or 'pending'
    fields.lane = fields.lane or 'interactive'
    fields.unfinished = fields.state == 'pending' or fields.state == 'running'
    fields.counted = fields.state ~= 'deleted' and fields.chunks or 0
    fields.there = fields.state ~= 'deleted' and 1 or 0
    fields.dataset = fields.dataset or 'default'
    return fields
end

local datasets = prefix .. 'datasets:' .. tenant
local in_datasets, in_chunks = prefix .. 'dataset_documents:' .. tenant, prefix .. 'dataset_chunks:' .. tenant

local function told_of(dataset, documents, chunks)
    if documents ~= 0 then
        local total = redis.call('HINCRBY', in_datasets, dataset, documents)
        redis.call(unpack(total > 0 and {'ZADD', datasets, 0, dataset} or {'ZREM', datasets, dataset}))
    end
    if chunks ~= 0 then redis.call('HINCRBY', in_chunks, dataset, chunks) end
end

local function seq(of_head)
    return tonumber(string.match(of_head, '^%d+'))
end

local new, old, old_head = decoded(text), nil, nil
-- Records that a version wrote which counted no datasets are counted when somebody asks for these (count_datasets.lua).
local counting = prefix .. 'dataset_counted:' .. tenant
if redis.call('EXISTS', records) == 0 then redis.call('SET', counting, 1) end
local stored = redis.call('HGET', records, id)
if stored then
    local split = string.find(stored, '\n', 1, true)
    old_head, old = string.sub(stored, 1, split - 1), decoded(string.sub(stored, split + 1))
end

if mode == 'hot' then
    if not old or (old.fence or 0) < (new.fence or 0) then return {'missing'} end
    if old.fence ~= new.fence or old.version ~= new.version then return {'stale', stored} end
    if old.state ~= new.state or old.active_version ~= new.active_version or not new.unfinished then
        return {'durable', stored}
    end
    head = old_head
elseif old and seq(old_head) >= seq(head) then
    return {'older', stored}
end

stored = head .. '\n' .. text
redis.call('HSET', records, id, stored)
local newest, created = prefix .. 'newest:' .. tenant .. ':', new.created_at or 0
if not old then redis.call('ZADD', newest .. 'all', -created, id) end
if not old or old.state ~= new.state then
    if old then redis.call('ZREM', newest .. old.state, id) end
    redis.call('ZADD', newest .. new.state, -created, id)
end
local gained = new.counted - (old and old.counted or 0)
if gained ~= 0 then redis.call('HINCRBY', prefix .. 'chunks', tenant, gained) end
if redis.call('EXISTS', counting) == 1 then
    if old and old.dataset ~= new.dataset then
        told_of(old.dataset, -old.there, -old.counted)
        told_of(new.dataset, new.there, new.counted)
    else
        told_of(new.dataset, new.there - (old and old.there or 0), gained)
    end
end
if old and old.lane ~= new.lane then
    redis.call('ZREM', prefix .. 'unfinished:' .. old.lane, member)
    redis.call('ZREM', prefix .. 'leases:' .. old.lane, member)
end
redis.call(unpack(new.unfinished and {'ZADD', prefix .. 'unfinished:' .. new.lane, created, member}
    or {'ZREM', prefix .. 'unfinished:' .. new.lane, member}))
redis.call(unpack(new.state == 'running' and {'ZADD', prefix .. 'leases:' .. new.lane, new.lease_until or 0, member}
    or {'ZREM', prefix .. 'leases:' .. new.lane, member}))
return {'saved', stored}
