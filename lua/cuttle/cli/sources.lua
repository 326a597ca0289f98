--- Files that are read, none of which may be written over.
-- Knows nothing of what is in them, nor of who writes.
-- @module cuttle.cli.sources

local files = require "cuttle.files"

local sources = {}

local Sources = {}
Sources.__index = Sources

local IGNORES_CASE = package.config:sub(1, 1) == "\\"

local function shortest_of(path)
  path = files.normalise(path)
  return IGNORES_CASE and path:lower() or path
end

-- Some systems do not tell names apart by case.
local function last_of(path)
  return files.name_of(path):lower()
end

--- No files yet.
function sources.new()
  return setmetatable({ paths = {}, reasons = {}, by_last = {} }, Sources)
end

--- One more. `reason`: why it may not be written over, "it is an input". Whether it was not known before.
function Sources:add(path, reason)
  local shortest = shortest_of(path)
  if self.reasons[shortest] then return false end
  self.reasons[shortest], self.paths[#self.paths + 1] = reason, path
  local last = last_of(path)
  self.by_last[last] = self.by_last[last] or {}
  table.insert(self.by_last[last], path)
  return true
end

--- Those that the arguments of the command name.
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

--- Why a path may not be written to; nil if it may. Links are followed. Other names of one file are only compared if
-- the user named the path, or if it is a link: writing replaces the file under one name, and keeps it under the others.
-- @tparam string path
-- @tparam boolean is_chosen whether the user named it
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
