--- Files of prefabs: opens each file once and finds its root.
-- Does not depend on entities, except for which one is the root.
-- @module cuttle.compiler.prefabs

local failure = require "cuttle.failure"
local files = require "cuttle.files"
local json = require "cuttle.json"

local is_null = json.is_null

local prefabs = {}

--- Makes the file state of a compilation.
-- @tparam function decode function(text, name) -> document; raises a data error
-- @tparam table request `directory`: the directory of relative paths in the source, "" by default; `path`: the path of
-- the source, if it is a file; `read`, `root` and `limit` as in the options of `compile`
-- @treturn table with `dependencies`: paths, in the order in which they were first read
function prefabs.new_cache(decode, request)
  local path = request.path
  return { decode = decode, directory = request.directory or "", path = path and files.normalize(path), opened = {},
    read = request.read, root = request.root, limit = request.limit, dependencies = { path } }
end

local MOST_NESTED = 1000

-- Formats a cycle of files: from the file at `path` to `document` and back.
local function chain_of(document, path)
  local chain = { path }
  repeat
    table.insert(chain, 1, document.path)
    document = document.outer
  until chain[1] == path
  return table.concat(chain, " -> ")
end

-- Returns the index of the only entry without a parent, or nil and an error message.
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

-- Decodes the text of a file and finds its root. If the text is not JSON, the message does not quote it, because the
-- path may be that of any file.
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

--- Opens the file that an entry of `document` includes.
-- @tparam table cache
-- @tparam table document `name`, `path` and `directory` of the including file; `outer`, the document that includes it
-- @tparam string reference
-- @tparam function fail function(message, ...) raises an error at the place of the reference
-- @tparam function in_file function(message) -> the message of an error in the file itself
-- @tparam function check function(name, decoded) checks the top level of a document and returns its entities
-- @treturn table `path`, `entities`, `root` (the index of the root among them)
function prefabs.open(cache, document, reference, fail, in_file, check)
  local path = files.normalize(files.join(document.directory, reference))
  local outer, depth = document, 0
  while outer do
    if outer.path == path then fail("prefabs form a cycle: %s", chain_of(document, path)) end
    outer, depth = outer.outer, depth + 1
  end
  -- Paths that grow with each file are not a cycle: a folder may link to itself, and `read` may accept any path.
  if depth > MOST_NESTED then fail("prefabs are nested too deep (limit is %d)", MOST_NESTED) end
  if cache.opened[path] then return cache.opened[path] end
  local refusal = files.refusal(path, cache.root, cache.read)
  if refusal then fail("%s, which prefabs must not leave", refusal) end
  local text, trouble = files.read(path, cache.read, cache.limit)
  if not text then fail("cannot read %s", trouble) end
  cache.dependencies[#cache.dependencies + 1] = path
  local ok, opened = pcall(read, cache, path, text, check)
  if not ok and failure.is(opened) then failure.raise("%s", in_file(opened.message)) end
  if not ok then error(opened, 0) end
  cache.opened[path] = opened
  return opened
end

--- Returns the number of entities of a file and of the prefabs that it includes, as far as they were opened. Visits
-- each file once, because the number can be huge: it doubles with each file that includes the next one twice.
-- @tparam table cache
-- @tparam table opened the result of `open`
-- @tparam table counts from files to the numbers that are known
function prefabs.count(cache, opened, counts)
  if counts[opened] then return counts[opened] end
  local count, lists = 0, { opened.entities }
  while #lists > 0 do
    for _, entry in ipairs(table.remove(lists)) do
      if type(entry) == "table" then
        local prefab, children = rawget(entry, "prefab"), rawget(entry, "children")
        local inner = type(prefab) == "string" and cache.opened[files.normalize(files.join(opened.directory, prefab))]
        count = count + (inner and prefabs.count(cache, inner, counts) or 1)
        if type(children) == "table" then lists[#lists + 1] = children end
      end
    end
  end
  counts[opened] = count
  return count
end

return prefabs
