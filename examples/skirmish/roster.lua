--- All entities that can be hit, collected once per step into plain arrays, with queries for the nearest.
-- Must not depend on guns and courses.

local roster = {}
roster.__index = roster

--- @tparam world world
function roster.new(world)
  local self = setmetatable({ count = 0, alive = { [0] = 0, 0, 0 }, x = {}, y = {}, side = {}, radius = {}, row = {} },
    roster)
  local health = world.health
  local matrix = world.transform:column("world_matrix")
  local side, radius = health:column("side"), health:column("radius")

  -- The loop uses rows and columns: it makes no light userdata and no lookups, and LuaJIT compiles it.
  function self.gather()
    local count, alive = 0, self.alive
    alive[0], alive[1], alive[2] = 0, 0, 0
    for h, t in world:rows(health, world.transform) do
      local pose = matrix[t]
      count = count + 1
      self.x[count], self.y[count] = pose[13], pose[14]
      self.side[count], self.radius[count], self.row[count] = side[h], radius[h], h
      alive[side[h]] = (alive[side[h]] or 0) + 1
    end
    self.count = count
  end
  return self
end

--- Returns the index in the roster of the nearest enemy of `side` within `range`, or nil. Neutral entities are no
--- enemies.
function roster:nearest_enemy(side, x, y, range)
  local best, least = nil, range * range
  for i = 1, self.count do
    local other = self.side[i]
    if other ~= 0 and other ~= side then
      local dx, dy = self.x[i] - x, self.y[i] - y
      local square = dx * dx + dy * dy
      if square < least then best, least = i, square end
    end
  end
  return best
end

--- Returns the health row of an entity at a place that is not of `side`, or nil.
function roster:hit(side, x, y)
  for i = 1, self.count do
    local dx, dy, radius = self.x[i] - x, self.y[i] - y, self.radius[i]
    if dx * dx + dy * dy < radius * radius and self.side[i] ~= side then return self.row[i] end
  end
  return nil
end

return roster
