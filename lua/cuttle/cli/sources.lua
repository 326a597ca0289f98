--- Set of files that the command reads and must not overwrite.
-- Does not depend on their contents, nor on the writer.
-- @module cuttle.cli.sources

local files = require "cuttle.files"

local sources = {}

local Sources = {}
Sources.__index = Sources

local IGNORES_CASE = package.config:sub(1, 1) == "\\"

local function shortest_of(path)
  path = files.normalize(path)
  return IGNORES_CASE and path:lower() or path
end

-- Some file systems ignore case.
local function last_of(path)
  return files.name_of(path):lower()
end

--- Makes an empty set.
function sources.new()
  return setmetatable({ paths = {}, reasons = {}, by_last = {} }, Sources)
end

--- Adds a file. `reason` is why it must not be overwritten, "it is an input". Returns whether the file is new.
function Sources:add(path, reason)
  local shortest = shortest_of(path)
  if self.reasons[shortest] then return false end
  self.reasons[shortest], self.paths[#self.paths + 1] = reason, path
  local last = last_of(path)
  self.by_last[last] = self.by_last[last] or {}
  table.insert(self.by_last[last], path)
  return true
end

--- Makes the set of the files that the arguments of the command name.
function sources.of(options)
  local self = sources.new()
  for _, path in ipairs(options.input or {}) do
    if path ~= "-" then self:add(path, "it is an input") end
  end
  if options.name then self:add(options.name, "it is the name of standard input") end
  for _, name in ipairs({ "components", "mappings", "project" }) do
    if options[name] then self:add(options[name], ("it is the file of option '--%s'"):format(name)) end
  end
  return self
end

local function reason_of(self, path, is_chosen)
  local reason = self.reasons[shortest_of(path)]
  if reason then return reason end
  for _, candidate in ipairs(is_chosen and self.paths or self.by_last[last_of(path)] or {}) do
    if files.are_same(path, candidate) then return self.reasons[shortest_of(candidate)] end
  end
  return nil
end

--- Returns why a path must not be written to, or nil. Follows links. Other names of the same file are compared only if
-- the user named the path, or if it is a link, because writing replaces one name of a file and keeps its other names.
-- @tparam string path
-- @tparam boolean is_chosen whether the user named the path
function Sources:reason(path, is_chosen)
  local target = files.target(path) or path
  is_chosen = is_chosen or target ~= path
  local reason = reason_of(self, path, is_chosen)
  if reason then return reason end
  local temporary = files.temporary(target)
  reason = reason_of(self, temporary, is_chosen)
  return reason and ("%s is written first, and %s"):format(temporary, reason)
end

return sources
