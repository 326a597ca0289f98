-- The state of redefined components: while they exist, in saves and in levels.

local scenery = require "spec.support.play.scenery"

local growth = { VERSIONS = scenery.COMPONENTS.mood.versions }

local VERSIONS = growth.VERSIONS

-- Returns the field of the same name and type, or nil, and whether there is one of the name.
local function find(fields, field)
  for _, other in ipairs(fields) do
    if other[1] == field[1] then return other[2] == field[2] and other or nil, true end
  end
end

local function has_label(field, label)
  for _, other in ipairs(field[3]) do
    if other == label then return true end
  end
end

-- Tests if components of one version can be read as those of another: all used labels must exist.
local function fit(list, from, to)
  for _, field in ipairs(VERSIONS[from]) do
    local now, named = find(VERSIONS[to], field)
    if named and not now then return false end
    for _, components in pairs(now and field[2] == "enum" and list or {}) do
      if not has_label(now, components[1][field[1]]) then return false end
    end
  end
  return true
end

-- Converts all components to the fields of another version.
function growth.convert(state, w, to)
  local mood = state.worlds[w].mood
  local from = VERSIONS[mood.version]
  mood.version = to
  for n, components in pairs(mood.of) do
    local kept = {}
    for _, field in ipairs(VERSIONS[to]) do
      local was = find(from, field)
      local value = was and components[1][field[1]]
      if was and field[2] == "enum" and not has_label(field, value) then value = nil end
      if was then kept[field[1]] = value end
    end
    mood.of[n] = { state:new_component(w, "mood", kept) }
  end
end

-- Tests if resources of the first version can be spawned: all its fields exist with their types.
function growth.outlives(version)
  for _, field in ipairs(VERSIONS[1]) do
    if not find(VERSIONS[version], field) then return false end
  end
  return true
end

-- The number of fields that differ between two versions.
local function differences(from, to)
  local count = 0
  for _, field in ipairs(VERSIONS[from]) do count = count + (find(VERSIONS[to], field) and 0 or 1) end
  for _, field in ipairs(VERSIONS[to]) do count = count + (find(VERSIONS[from], field) and 0 or 1) end
  return count
end

-- Tests if a host has the component versions of a state.
function growth.matches(state, host)
  for w, version in pairs(host.versions) do
    if state.worlds[w].mood.version ~= version then return false end
  end
  return true
end

-- Tests if a save can be loaded. Returns the number of notes about added and removed fields, or nil.
function growth.check_load(state, host)
  local notes = 0
  for w, version in pairs(host.versions) do
    local mood = state.worlds[w].mood
    if not fit(mood.of, mood.version, version) then return nil end
    notes = notes + differences(mood.version, version)
  end
  return notes
end

-- Returns the state after a host has loaded a save of a state.
function growth.load(state, host)
  local copy = state:copy()
  for w, version in pairs(host.versions) do growth.convert(copy, w, version) end
  return copy
end

return growth
