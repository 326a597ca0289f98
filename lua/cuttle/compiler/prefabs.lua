--- Opens the files that prefabs come from, each once, and finds their roots.
-- Knows nothing of entities beyond which of them is the root.
-- @module cuttle.compiler.prefabs

local failure = require "cuttle.compiler.failure"
local files = require "cuttle.files"
local json = require "cuttle.json"

local is_null = json.is_null

local prefabs = {}

--- What a compilation knows of files.
-- @tparam function decode function(text, name) -> document; raises a failure
-- @tparam[opt] string directory where paths of the source itself begin, "" unless told
-- @tparam[opt] string path of the source itself, if it is a file
-- @treturn table `dependencies`: paths, in the order in which they were first read
function prefabs.shelf(decode, directory, path)
  return { decode = decode, directory = directory or "", path = path and files.normalise(path), opened = {},
    dependencies = { path } }
end

-- The chain of files from the source to `document`, for messages.
local function chain_of(document, path)
  local chain = path
  while document do
    chain = (document.path or document.name) .. " -> " .. chain
    document = document.outer
  end
  return chain
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

--- Opens the file that an entry of `document` names.
-- @tparam table shelf
-- @tparam table document `name`, `path` and `directory` of the file that names it, `outer` the one that named that
-- @tparam string reference
-- @tparam function fail function(message, ...) raises, with the place of the reference
-- @tparam function check function(name, decoded) raises what is wrong with its outermost shape, answers the entities
-- @treturn table `path`, `entities`, `root` (the place of the root among them)
function prefabs.open(shelf, document, reference, fail, check)
  local path = files.normalise(files.join(document.directory, reference))
  local above = document
  while above do
    if above.path == path then fail("prefabs contain each other: %s", chain_of(document, path)) end
    above = above.outer
  end
  local opened = shelf.opened[path]
  if opened then return opened end
  local text, trouble = files.read(path)
  if not text then fail("cannot read %s", trouble) end
  shelf.dependencies[#shelf.dependencies + 1] = path
  local entities = check(path, shelf.decode(text, path))
  local root, problem = find_root(entities)
  if not root then failure.raise("%s: entities: %s", path, problem) end
  opened = { path = path, directory = files.directory_of(path), entities = entities, root = root }
  shelf.opened[path] = opened
  return opened
end

return prefabs
