-- Snapshots from Lua of 10,000 entities with transform, mesh and point mass, and of 100, which shows the cost of the
-- call. The limit is a copy of as many bytes.

local cuttle = require "cuttle"

local has_ffi, ffi = pcall(require, "ffi")

local function filled(n)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world.mesh:define_resource("box", {})
  local list = world:create({ transform = {}, mesh = { resource = "box" }, point_mass = {} }, n)
  return entities, world, list[1]
end

local function cases(bench, n)
  local entities, world, first = filled(n)
  local snapshot, hash = entities:snapshot(), entities:hash()
  local bytes, limit = snapshot:bytes(), nil
  if has_ffi then
    limit = "a copy of its bytes"
    local from, to = ffi.new("char[?]", bytes), ffi.new("char[?]", bytes)
    bench.case { name = limit, items = n, bytes = bytes, expect = 0,
      run = function()
        ffi.copy(to, from, bytes)
        return to[0]
      end }
  end
  local function is_same() return entities:hash() == hash end
  bench.case { name = "entities:snapshot(old)", items = n, limit = limit, bytes = bytes, check = is_same,
    run = function() return entities:snapshot(snapshot) end }
  bench.case { name = "entities:restore", items = n, limit = limit, bytes = bytes, check = is_same,
    setup = function() world.transform:set_local_position(first, 1, 2, 3) end,
    run = function() return entities:restore(snapshot) end }
  bench.case { name = "entities:hash", items = n, limit = limit, expect = hash,
    run = function() return entities:hash() end }
end

return function(bench)
  for _, n in ipairs(bench.sizes({ 100, 10000 }, 100)) do cases(bench, n) end
end
