-- The values that a spawn of a level writes: the components of each of its entities in the form of create, with names
-- in place of entities.

local fields = require "spec.support.play.fields"
local scenery = require "spec.support.play.scenery"

local spawned = {}

-- The number of copies for the options.
function spawned.copies(options) return options.positions and #options.positions / 3 or 1 end

-- The nearest ancestor of a place that has a transform, or nil.
function spawned.ancestor(flat, place)
  local ancestor = flat[place].parent
  while ancestor and not flat[ancestor].components.transform do ancestor = flat[ancestor].parent end
  return ancestor
end

local function copy_keys(from)
  local out = {}
  for key, value in pairs(from) do out[key] = value end
  return out
end

-- Defaults are those of the compilation.
local function named(m, values, flat, names, first)
  if scenery.COMPONENTS[m].versions then values = fields.fill(scenery.COMPONENTS[m], values) end
  local out = copy_keys(values)
  for _, field in ipairs(scenery.COMPONENTS[m]) do
    if field[2] == "entity" and values[field[1]] then
      for place, entity in ipairs(flat) do
        if entity.name == values[field[1]] then out[field[1]] = names[first + place] end
      end
    end
  end
  return out
end

-- The pose of the options is applied to roots.
local function transform(values, flat, place, copy, options)
  local out, step = copy_keys(values), options.position
  if options.positions then step = { unpack(options.positions, copy * 3 + 1, copy * 3 + 3) } end
  if not spawned.ancestor(flat, place) and step then
    local p = values.position or { 0, 0, 0 }
    out.position = { p[1] + step[1], p[2] + step[2], p[3] + step[3] }
  end
  return out
end

-- The components of one entity, with overrides of the options.
local function overridden(entity, options)
  local override = options.overrides and options.overrides[entity.name]
  local out = copy_keys(entity.components)
  for m, values in pairs(override or {}) do
    out[m] = fields.copy(out[m] or {})
    for key, value in pairs(values) do out[m][key] = value end
  end
  out.debug_name = { name = entity.name }
  return out
end

-- The components of the entity at a place of a copy (from 0 on): component -> list of values. `names` are those of all
-- copies.
function spawned.written(flat, place, copy, names, options)
  local out = {}
  for m, values in pairs(overridden(flat[place], options)) do
    if m == "transform" then
      out[m] = { transform(values, flat, place, copy, options) }
    else
      out[m] = {}
      for i, item in ipairs(scenery.COMPONENTS[m].multiple and values or { values }) do
        out[m][i] = named(m, item, flat, names, copy * #flat)
      end
    end
  end
  return out
end

return spawned
