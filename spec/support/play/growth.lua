-- What becomes of components that are defined again with other fields, while they live, in saves and in levels.
-- Knows nothing of managers.

local scenery = require "spec.support.play.scenery"

local growth = { VERSIONS = scenery.COMPONENTS.mood.versions }

local VERSIONS = growth.VERSIONS

-- The field of that name and type, or nil; and whether there is one of the name.
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

-- Whether components of one version can be read as those of another: every label in use is there.
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

-- The same components with the fields of another version.
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
    mood.of[n] = { state:fresh(w, "mood", kept) }
  end
end

-- Whether what was compiled for the first version fits one: all its fields are there, of their types.
function growth.outlives(version)
  for _, field in ipairs(VERSIONS[1]) do
    if not find(VERSIONS[version], field) then return false end
  end
  return true
end

-- How many fields two versions do not have in common.
local function differences(from, to)
  local count = 0
  for _, field in ipairs(VERSIONS[from]) do count = count + (find(VERSIONS[to], field) and 0 or 1) end
  for _, field in ipairs(VERSIONS[to]) do count = count + (find(VERSIONS[from], field) and 0 or 1) end
  return count
end

-- Whether all components of a state are defined so in a host.
function growth.matches(state, host)
  for w, version in pairs(host.versions) do
    if state.worlds[w].mood.version ~= version then return false end
  end
  return true
end

-- Whether a save can be loaded, and how many fields are told to have come or gone then.
function growth.check_load(state, host)
  local notes = 0
  for w, version in pairs(host.versions) do
    local mood = state.worlds[w].mood
    if not fit(mood.of, mood.version, version) then return nil end
    notes = notes + differences(mood.version, version)
  end
  return notes
end

-- The state that a host has which has loaded a save of this one.
function growth.load(state, host)
  local copy = state:copy()
  for w, version in pairs(host.versions) do growth.convert(copy, w, version) end
  return copy
end

return growth
