--- Everything that can be hit, gathered once a step into plain arrays, and who of it is near.
-- Knows nothing of guns and courses.

local roster = {}
roster.__index = roster

--- @tparam world world
function roster.new(world)
  local self = setmetatable({ count = 0, alive = { [0] = 0, 0, 0 }, x = {}, y = {}, side = {}, radius = {}, row = {} },
    roster)
  local health = world.health
  local matrix = world.transform:column("world_matrix")
  local side, radius = health:column("side"), health:column("radius")

  -- Bare rows and columns: no entity is made, no lookup is done, and LuaJIT compiles the loop.
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

--- The place in the roster of the nearest enemy of `side` within `range`, or nil. Nobody's things are no enemies.
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

--- The health row of what stands at a place and is not of `side`, or nil.
function roster:hit(side, x, y)
  for i = 1, self.count do
    local dx, dy, radius = self.x[i] - x, self.y[i] - y, self.radius[i]
    if dx * dx + dy * dy < radius * radius and self.side[i] ~= side then return self.row[i] end
  end
  return nil
end

return roster
