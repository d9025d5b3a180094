-- Counts the documents and passages of each dataset anew, where a version wrote records that did not count them.
--
-- That is seen once from the mark that is missing. While such a version still writes beside this one, it is seen from
-- sums that are not the tenant's, at most once a minute; what leaves the sums as they are (a move to another dataset) is
-- found by counting again every hour, where there are so few records that nobody waits for it.
--
-- KEYS[1]  prefix of all keys
-- ARGV     tenant

local prefix, tenant = KEYS[1], ARGV[1]
local counting, records = prefix .. 'dataset_counted:' .. tenant, prefix .. 'records:' .. tenant
local datasets, totals = prefix .. 'datasets:' .. tenant, prefix .. 'chunks'
local in_datasets, in_chunks = prefix .. 'dataset_documents:' .. tenant, prefix .. 'dataset_chunks:' .. tenant

local function sum(hash)
    local found = 0
    for _, count in ipairs(redis.call('HVALS', hash)) do found = found + count end
    return found
end

local function agrees()
    local newest = prefix .. 'newest:' .. tenant .. ':'
    return sum(in_datasets) == redis.call('ZCARD', newest .. 'all') - redis.call('ZCARD', newest .. 'deleted')
        and sum(in_chunks) == tonumber(redis.call('HGET', totals, tenant) or 0)
end

if redis.call('EXISTS', counting) == 1 and (agrees()
    or not redis.call('SET', prefix .. 'dataset_recounted:' .. tenant, 1, 'NX', 'EX', 60)) then return 0 end

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

redis.call('DEL', datasets, in_datasets, in_chunks)
local all_chunks = 0
for dataset, count in pairs(documents) do
    redis.call('ZADD', datasets, 0, dataset)
    redis.call('HSET', in_datasets, dataset, count)
    redis.call('HSET', in_chunks, dataset, chunks[dataset])
    all_chunks = all_chunks + chunks[dataset]
end
redis.call('HSET', totals, tenant, all_chunks)
redis.call('SET', counting, 1)
if #ids <= 20000 then redis.call('EXPIRE', counting, 3600) end
return #ids
