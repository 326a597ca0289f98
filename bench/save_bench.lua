-- Saves from Lua: 15,000 entities with transform, mesh, point mass and a name, in families of ten.

local cuttle = require "cuttle"

local function filled(n)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world.mesh:define_resource("box", {})
  local list = world:create({ transform = {}, mesh = { resource = "box" }, point_mass = {},
    debug_name = { name = "a box" } }, n)
  for i = 1, n do
    if i % 10 ~= 1 then world.transform:link(list[i], list[i - (i - 1) % 10]) end
  end
  return entities, world, list[1]
end

local function cases(bench, n)
  local entities, world, first = filled(n)
  local snapshot, hash = entities:snapshot(), entities:hash()
  local text = snapshot:tostring()
  local save = cuttle.snapshot(text)
  bench.case { name = "snapshot:tostring", items = n, bytes = #text, expect = text,
    run = function() return snapshot:tostring() end }
  bench.case { name = "entities:restore of a save", items = n, bytes = #text,
    check = function() return entities:hash() == hash end,
    setup = function() world.transform:set_local_position(first, 1, 2, 3) end,
    run = function() return (entities:restore(save)) end }
end

return function(bench)
  for _, n in ipairs(bench.sizes({ 100, 15000 }, 100)) do cases(bench, n) end
end
