-- level:patch of a level of 15,000 entities, with no change, ten changed fields and ten added entities. Compiling and
-- loading are measured, too.

local cuttle = require "cuttle"
local levels = require "bench.levels"

local NAMES = { "rock", "tree", "crate", "lamp" }

-- Returns level source. Some entities have names, some have ids, every other one has a defined component. `change`
-- returns true for entities with a changed field; `more` entities are appended.
local function source(count, change, more)
  return levels.source(count + (more or 0), function(entity, i)
    if i % 3 == 0 then entity.name = NAMES[i % 4 + 1] end
    if i % 5 == 0 then entity.id = i end
    if i % 2 == 0 then entity.components.health = { hp = 5 } end
    if change[i] then entity.components.transform.position[3] = 1 end
  end)
end

local function cases(bench, count)
  local world = levels.world()
  world:define("health", { { "hp", "int32", 100 } })
  local compiler = cuttle.compiler(world)
  local ten = {}
  for i = 1, 10 do ten[math.floor(count / 10) * i - 3] = true end
  local before = assert(cuttle.resource(assert(compiler:compile(source(count, {})))))
  local changed_blob = assert(compiler:compile(source(count, ten)))
  local changed = assert(cuttle.resource(changed_blob))
  local longer = assert(cuttle.resource(assert(compiler:compile(source(count, {}, 10)))))
  local level = assert(world:spawn(before))

  -- The patch to the new version is measured, the patch back is not.
  local function patch(name, to, field, expected)
    bench.case { name = name, items = count, setup = function() assert(level:patch(before)) end,
      run = function() return assert(level:patch(to)) end,
      check = function(told) return told[field] == expected end }
  end
  patch("patch: nothing has changed", before, "changed", 0)
  patch("patch: 10 fields have changed", changed, "changed", 10)
  patch("patch: 10 entities are new", longer, "added", 10)
  levels.load_case(bench, "load", changed_blob, count)
end

return function(bench)
  for _, count in ipairs(bench.sizes({ 15000 }, 150)) do cases(bench, count) end
end
