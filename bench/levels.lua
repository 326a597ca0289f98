--- Levels for several benches.
-- Must not depend on what a bench measures.

local cuttle = require "cuttle"

local levels = {}

--- Returns a world with the mesh resource "crate".
function levels.world()
  local world = cuttle.world(cuttle.entity_manager { minimum_free_indices = 0 })
  world.mesh:define_resource("crate", {})
  return world
end

--- Returns level source with this many entities, a quarter of them with parents. All have a transform at i, i % 7, 0,
-- and a mesh; add(entity, i) adds more.
function levels.source(count, add)
  local roots = {}
  for i = 1, count do
    local entity = { components = {
      transform = { position = { i, i % 7, 0 } },
      mesh = { { resource = "crate" } },
    } }
    add(entity, i)
    if i % 4 == 0 then
      roots[#roots].children = { entity }
    else
      roots[#roots + 1] = entity
    end
  end
  return { entities = roots }
end

--- Adds a case that loads a compiled level.
function levels.load_case(bench, name, blob, count)
  bench.case {
    name = name,
    bytes = #blob,
    items = count,
    run = function() return cuttle.resource(blob):entity_count() end,
    expect = count,
  }
end

return levels
