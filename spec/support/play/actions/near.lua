-- Actions with spaces: questions about positions, compared with loops over all entities.

local cuttle = require "cuttle"

local actions = {}

-- The entities with a transform, in the order of the query, and what they have in common with a circle.
local function touching(run, w, query, x, y, reach)
  local transform, found = run:world(w).transform, {}
  for _, e in ipairs(query:entities()) do
    local dx, dy = transform:world_position(e)
    dx, dy = dx - x, dy - y
    if dx * dx + dy * dy <= (reach + 1) * (reach + 1) then found[#found + 1] = e end
  end
  return found
end

local function same(run, expected, list, label)
  run.equal(#expected, list:count(), label)
  for i, e in ipairs(expected) do run.equal(e, list:get(i), label) end
end

actions.space_ask = { weight = 2,
  make = function(gen)
    return gen:world(), gen.random(21) - 11, gen.random(21) - 11, gen.random(8) - 1, gen.random(3)
  end,
  play = function(run, w, x, y, reach, cell)
    local query, out = run:world(w):query "transform", cuttle.list()
    local space = query:space { cell = 4 ^ cell, radius = 1 }
    run.equal(query:count(), space:update(), "entries of a space")
    run.equal(query:count(), space:count(), "count of a space")
    local expected = touching(run, w, query, x, y, reach)
    same(run, expected, space:within(x, y, reach, out), "within")
    if reach == 0 then same(run, expected, space:box(x, y, x, y, out), "a box of one point") end
    local nearest, distance = space:nearest(x, y)
    run.equal(query:count() > 0, nearest ~= nil, "nearest")
    local list, distances = space:nearest_many(2, x, y)
    run.equal(nearest, list:count() > 0 and list:get(1) or nil, "nearest_many")
    run.equal(distance, distances[1], "distance")
    run.equal(#touching(run, w, query, x, y, 0) > 0, space:ray(x, y, x, y) ~= nil, "a ray of no length")
    local count = 0
    for i, e in ipairs(query:entities()) do
      local ex, ey = run:world(w).transform:world_position(e)
      local near = touching(run, w, query, ex, ey, 1)
      for _, other in ipairs(near) do
        if other ~= e then count = count + 1 end
      end
      if i > 20 then return end
    end
    run.equal(count / 2, select(2, space:pairs(0, out)), "pairs")
    run.equal(true, space:memory() >= 20 * query:count(), "memory of a space")
  end,
}

actions.watch = { weight = 0.5,
  make = function(gen) return (gen:world()) end,
  play = function(run, w)
    local watch = run:world(w).transform:watch()
    local list, all = watch:list(cuttle.list())
    run.equal(false, all, "a watch")
    run.equal(0, list:count(), "list of a new watch")
  end,
}

return actions
