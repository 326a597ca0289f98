-- level:patch: a level of 15,000 entities whose file has changed in ten fields, in nothing, and by ten entities. What
-- compiling and loading take is told beside.

local cuttle = require "cuttle"

local NAMES = { "rock", "tree", "crate", "lamp" }

-- Transforms and meshes for all, a defined component for every other one, a quarter with parents; some named, some with
-- ids. `change` says of which entities a field differs; `more` entities come at the end.
local function source(count, change, more)
  local roots = {}
  for i = 1, count + (more or 0) do
    local entity = { name = i % 3 == 0 and NAMES[i % 4 + 1] or nil, id = i % 5 == 0 and i or nil, components = {
      transform = { position = { i, i % 7, change[i] and 1 or 0 } },
      mesh = { { resource = "crate" } },
      health = i % 2 == 0 and { hp = 5 } or nil,
    } }
    if i % 4 == 0 then
      roots[#roots].children = { entity }
    else
      roots[#roots + 1] = entity
    end
  end
  return { entities = roots }
end

local function cases(bench, count)
  local world = cuttle.world(cuttle.entity_manager())
  world:define("health", { { "hp", "int32", 100 } })
  world.mesh:define_resource("crate", {})
  local compiler = cuttle.compiler(world)
  local ten = {}
  for i = 1, 10 do ten[math.floor(count / 10) * i - 3] = true end
  local before = assert(cuttle.resource(assert(compiler:compile(source(count, {})))))
  local changed_blob = assert(compiler:compile(source(count, ten)))
  local changed = assert(cuttle.resource(changed_blob))
  local longer = assert(cuttle.resource(assert(compiler:compile(source(count, {}, 10)))))
  local level = assert(world:spawn(before))

  -- A patch there is timed, the one back is not.
  local function patch(name, to, field, expected)
    bench.case { name = name, items = count, setup = function() assert(level:patch(before)) end,
      run = function() return assert(level:patch(to)) end,
      check = function(told) return told[field] == expected end }
  end
  patch("patch: nothing has changed", before, "changed", 0)
  patch("patch: 10 fields have changed", changed, "changed", 10)
  patch("patch: 10 entities are new", longer, "added", 10)
  bench.case { name = "load", items = count, check = function(resource) return resource ~= nil end,
    run = function() return cuttle.resource(changed_blob) end }
end

return function(bench)
  for _, count in ipairs(bench.sizes({ 15000 }, 150)) do cases(bench, count) end
end
