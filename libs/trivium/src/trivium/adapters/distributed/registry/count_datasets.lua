-- Counts the documents and passages of each dataset anew, once, where a version wrote records that did not count them.
--
-- KEYS[1]  prefix of all keys
-- ARGV     tenant

local prefix, tenant = KEYS[1], ARGV[1]
local counting, records = prefix .. 'dataset_counted:' .. tenant, prefix .. 'records:' .. tenant
if redis.call('EXISTS', counting) == 1 then return 0 end

local documents, chunks = {}, {}
local ids = redis.call('HKEYS', records)
for first = 1, #ids, 1000 do
    local page = {}
    for at = first, math.min(first + 999, #ids) do page[#page + 1] = ids[at] end
    for _, stored in ipairs(redis.call('HMGET', records, unpack(page))) do
        local fields = cjson.decode(string.sub(stored, string.find(stored, '\n', 1, true) + 1))
        if fields.state ~= 'deleted' then
            local dataset = fields.dataset or 'default'
            documents[dataset] = (documents[dataset] or 0) + 1
            chunks[dataset] = (chunks[dataset] or 0) + (fields.chunks or 0)
        end
    end
end

local datasets = prefix .. 'datasets:' .. tenant
local in_datasets, in_chunks = prefix .. 'dataset_documents:' .. tenant, prefix .. 'dataset_chunks:' .. tenant
redis.call('DEL', datasets, in_datasets, in_chunks)
for dataset, count in pairs(documents) do
    redis.call('ZADD', datasets, 0, dataset)
    redis.call('HSET', in_datasets, dataset, count)
    redis.call('HSET', in_chunks, dataset, chunks[dataset])
end
redis.call('SET', counting, 1)
return #ids
