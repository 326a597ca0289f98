--- Preparation of a level that was not made for this game: adds the components that the game needs.
-- Must not depend on the rules.

local foreign = {}

local MOST_FIGHTERS = 120
local ENDINGS = { "is out of the game", "had other plans for today", "falls apart", "leaves a hole in the floor",
  "turns out to be hollow", "goes up in smoke", "will be missed", "did not see it coming", "is mostly confetti now" }

--- The options for importing an LDtk project: with tiles, and with the shape of every entity.
function foreign.import_options()
  return { tiles = true, components = { ["*"] = function(_, entity)
    return { shape = { width = entity.width or 0, height = entity.height or 0, cell = entity.layer.grid_size,
      tags = table.concat(entity.tags, " ") } }
  end } }
end

-- Returns the grid size of a level: that of its shapes, otherwise a fortieth of its extent.
local function cell_size(world)
  for _, s in world:join("shape") do
    if world.shape:cell(s) > 0 then return world.shape:cell(s) end
  end
  local least_x, least_y, most_x, most_y = math.huge, math.huge, -math.huge, -math.huge
  for _, t in world:join("transform") do
    local x, y = world.transform:world_position(t)
    least_x, least_y = math.min(least_x, x), math.min(least_y, y)
    most_x, most_y = math.max(most_x, x), math.max(most_y, y)
  end
  local extent = math.max(most_x - least_x, most_y - least_y)
  return extent > 0 and extent < math.huge and extent / 40 or 1
end

-- Returns the entities that can fight: shapes not much larger than a cell; without shapes, entities with names,
-- otherwise all.
local function candidates(world, level, cell)
  local transform, shape, names = world.transform, world.shape, world.debug_name
  local function fits(e)
    if shape:count() == 0 then return names:count() == 0 or names:has(e) end
    local s = shape:lookup(e)
    return s and shape:width(s) <= 2.5 * cell and shape:height(s) <= 2.5 * cell
  end
  local found = {}
  for _, e in ipairs(level:entities()) do
    if transform:has(e) and fits(e) then found[#found + 1] = e end
    if #found == MOST_FIGHTERS then break end
  end
  return found
end

-- Puts the most frequent kind on side 2, and all others on side 1. If there is only one kind, it is divided.
local function take_sides(world, fighters)
  local kinds, counts, crowd = {}, {}, nil
  for index, e in ipairs(fighters) do
    local kind = world.debug_name:debug_name(e) or ""
    kinds[index], counts[kind] = kind, (counts[kind] or 0) + 1
    if not crowd or counts[kind] > counts[crowd] then crowd = kind end
  end
  local sides, clear = {}, crowd and counts[crowd] > 1 and counts[crowd] < #fighters
  for index, kind in ipairs(kinds) do
    if clear then sides[index] = kind == crowd and 2 or 1 else sides[index] = index % 2 + 1 end
  end
  if not clear then return sides, { "the even ones", "the odd ones" } end
  return sides, { "everyone else", ("the %s"):format(crowd:find("s$") and crowd or crowd .. "s") }
end

local function values_by_index(count, value)
  local values = {}
  for index = 1, count do values[index] = value(index) end
  return values
end

--- Arms the entities of a level: each gets health and a gun, and two of three get a course, so that they move.
-- @treturn table names of side 1 and 2
-- @treturn number the length of a step on foot in this level
function foreign.recruit(world, level)
  local cell = cell_size(world)
  local fighters = candidates(world, level, cell)
  local sides, names = take_sides(world, fighters)
  local wanderers, homes = {}, {}
  for index, e in ipairs(fighters) do
    if index % 3 ~= 0 then
      wanderers[#wanderers + 1] = e
      local x, y = world.transform:world_position(e)
      homes[#homes + 1] = { x, y, 0 }
    end
  end
  -- One call for all: a number applies to all, a table has one value for each.
  world.health:create_many(fighters, { hp = 40, radius = cell * 0.8, side = sides, bounty = 10 })
  world.cannon:create_many(fighters, { range = cell * 9, damage = 8, reload = 0.8, side = sides,
    wait = values_by_index(#fighters, function(index) return index % 7 / 10 end) })
  world.course:create_many(wanderers, { speed = cell * 6, turn = 2.5, keep_off = cell * 3, home = homes,
    heading = values_by_index(#wanderers, function(index) return index * 2.4 end) })
  world.tale:create_many(fighters, { kind = "stranger",
    ending = values_by_index(#fighters, function(index) return ENDINGS[index * 5 % #ENDINGS + 1] end) })
  local top = fighters[1] and world.transform:root(fighters[1])
  if top then
    local reach = cell * 8
    world.wave:create(world.transform:entity(top), { first = 2, every = 1.5, ships = 4, spread = { reach, reach } })
  end
  return names, cell / 2
end

--- Returns level source of the reinforcements for such a level.
function foreign.latecomer(scale)
  return { entities = { { name = "Latecomer", components = {
    transform = {},
    health = { hp = 40, radius = 1.6 * scale, side = 1, bounty = 10 },
    cannon = { range = 18 * scale, damage = 8, reload = 0.8, side = 1 },
    course = { speed = 14 * scale, turn = 2.5, keep_off = 5 * scale },
    tale = { kind = "stranger", ending = "came for nothing" },
  } } } }
end

return foreign
