--- Opens the files that prefabs come from, each once, and finds their roots.
-- Knows nothing of entities beyond which of them is the root.
-- @module cuttle.compiler.prefabs

local failure = require "cuttle.failure"
local files = require "cuttle.files"
local json = require "cuttle.json"

local is_null = json.is_null

local prefabs = {}

--- What a compilation knows of files.
-- @tparam function decode function(text, name) -> document; raises a failure
-- @tparam table request `directory`: where paths of the source itself begin, "" unless told; `path` of the source
-- itself, if it is a file; `read`, `root` and `limit` as the options of `compile`
-- @treturn table `dependencies`: paths, in the order in which they were first read
function prefabs.new_cache(decode, request)
  local path = request.path
  return { decode = decode, directory = request.directory or "", path = path and files.normalise(path), opened = {},
    read = request.read, root = request.root, limit = request.limit, dependencies = { path } }
end

local MOST_NESTED = 1000

-- The files from `document` back to the one at `path`, for messages: once round.
local function chain_of(document, path)
  local chain = { path }
  repeat
    table.insert(chain, 1, document.path)
    document = document.outer
  until chain[1] == path
  return table.concat(chain, " -> ")
end

-- The place of the one entry without a parent; or nil and what is wrong.
local function find_root(entities)
  local root
  for place, entry in ipairs(entities) do
    if type(entry) ~= "table" or is_null(rawget(entry, "parent")) then
      if root then
        return nil, string.format("a prefab has exactly one root, but [%d] and [%d] have no parent", root, place)
      end
      root = place
    end
  end
  return root, "a prefab has exactly one root, this file has none"
end

-- The entities of the file with that text, and which of them is the root. Text that is not JSON is not quoted: the path
-- may be that of any file.
local function read(cache, path, text, check)
  local ok, decoded = pcall(cache.decode, text, path)
  if not ok and failure.is(decoded) then
    failure.raise("%s: %s", path, json.without_quotes(decoded.message:sub(#path + 3)))
  end
  if not ok then error(decoded, 0) end
  local entities = check(path, decoded)
  local root, problem = find_root(entities)
  if not root then failure.raise("%s: entities: %s", path, problem) end
  return { path = path, directory = files.directory_of(path), entities = entities, root = root }
end

--- Opens the file that an entry of `document` names.
-- @tparam table cache
-- @tparam table document `name`, `path` and `directory` of the file that names it, `outer` the one that named that
-- @tparam string reference
-- @tparam function fail function(message, ...) raises, with the place of the reference
-- @tparam function in_file function(message) -> what to raise of what is wrong in the file itself
-- @tparam function check function(name, decoded) raises what is wrong with its outermost shape, returns the entities
-- @treturn table `path`, `entities`, `root` (the place of the root among them)
function prefabs.open(cache, document, reference, fail, in_file, check)
  local path = files.normalise(files.join(document.directory, reference))
  local above, depth = document, 0
  while above do
    if above.path == path then fail("prefabs form a cycle: %s", chain_of(document, path)) end
    above, depth = above.outer, depth + 1
  end
  -- Paths that grow from file to file are no cycle: a folder may be its own, and `read` may answer any path.
  if depth > MOST_NESTED then fail("prefabs are nested too deep (limit is %d)", MOST_NESTED) end
  if cache.opened[path] then return cache.opened[path] end
  local refusal = files.refusal(path, cache.root, cache.read)
  if refusal then fail("%s, which prefabs may not leave", refusal) end
  local text, trouble = files.read(path, cache.read, cache.limit)
  if not text then fail("cannot read %s", trouble) end
  cache.dependencies[#cache.dependencies + 1] = path
  local ok, opened = pcall(read, cache, path, text, check)
  if not ok and failure.is(opened) then failure.raise("%s", in_file(opened.message)) end
  if not ok then error(opened, 0) end
  cache.opened[path] = opened
  return opened
end

return prefabs
