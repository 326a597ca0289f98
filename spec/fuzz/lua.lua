-- The handling of inputs of spec/fuzz/lua.c: the first byte is the kind of the others. An error or an invalid world
-- ends the process.

local cuttle = require "cuttle"
local formula_input = require "spec.support.formula_input"
local saves = require "spec.support.saves"
local valid = require "spec.support.valid"

local crc32 = rawget(_G, "crc32") -- defined in spec/fuzz/lua.c

local function u32(number)
  return string.char(number % 256, math.floor(number / 2 ^ 8) % 256, math.floor(number / 2 ^ 16) % 256,
    math.floor(number / 2 ^ 24))
end

-- The bytes with a valid magic number, version, size and checksum.
local function sealed(magic, version, bytes)
  local rest = bytes:sub(17)
  return magic .. u32(version) .. u32(#rest + 16) .. u32(crc32(rest)) .. rest
end

-- Finalizers reallocate the world's memory while it exists, in the middle of any allocation.
local function trim_in_finalizers(world)
  local reference = setmetatable({ world }, { __mode = "v" })
  local function arm()
    getmetatable(newproxy(true)).__gc = function()
      if reference[1] and pcall(reference[1].trim, reference[1]) then arm() end
    end
  end
  arm()
end

local function new_world()
  local world, entities = saves.new_world()
  trim_in_finalizers(world)
  world:define("bag", { { "things", "value" } })
  world:define("health", saves.HEALTH)
  world:register_spawner("spikes", function(_, count, _, data)
    for i = 1, count do
      local r = cuttle.reader(data[i])
      while r:left() > 8 do r:u8() r:f32() end
    end
  end)
  saves.create(world, 1)
  return world, entities
end

local function each_value(world)
  for e in world.bag:each() do world.bag:things(e) end
  for e in world.grid:each() do world.grid:ray(e, -9, -9, 9, 9) end
  for e, instance in world.item:each() do
    world.item:id(instance)
    world.item:kind(e)
  end
  world:dump()
end

-- Uses a level as games and tools do.
local function use(world, resource, level)
  assert(level:count() % math.max(resource:entity_count(), 1) == 0)
  level:find "car/bulb"
  level:roots()
  resource:describe()
  each_value(world)
  valid(world)
end

local function level(bytes)
  local resource, message = cuttle.resource(sealed("CTLR", 2, bytes))
  if not resource then return assert(type(message) == "string") end
  local world, entities = new_world()
  local before, hash = entities:count(), entities:hash()
  local spawned, trouble = world:spawn(resource)
  valid(world)
  if not spawned then
    assert(type(trouble) == "string" and entities:count() == before and entities:hash() == hash, trouble)
    return
  end
  use(world, resource, spawned)
  local again = spawned:restart()
  if again then use(world, resource, spawned) end
  spawned:unload()
  assert(entities:count() == before)
  world:gc "all"
  valid(world)
  world:destroy()
end

local function patch(bytes)
  local at = bytes:byte(1) or 0
  local first = math.floor(#bytes * at / 256)
  local old, new = cuttle.resource(sealed("CTLR", 2, bytes:sub(2, first))),
    cuttle.resource(sealed("CTLR", 2, bytes:sub(first + 1)))
  if not old or not new then return end
  local world, entities = new_world()
  local spawned = world:spawn(old)
  if not spawned then return end
  local hash = entities:hash()
  local result, trouble = spawned:patch(new)
  valid(world)
  if result then
    use(world, new, spawned)
  else
    assert(type(trouble) == "string" and entities:hash() == hash, trouble)
  end
  spawned:unload()
  world:gc "all"
  valid(world)
  world:destroy()
end

local function save(bytes)
  local snapshot, message = cuttle.snapshot(sealed("CTSV", 1, bytes))
  if not snapshot then return assert(type(message) == "string") end
  local world, entities = new_world()
  local hash = entities:hash()
  local ok, trouble = entities:restore(snapshot)
  valid(world)
  if not ok then
    assert(type(trouble) == "string" and entities:hash() == hash, trouble)
    return
  end
  each_value(world)
  local again = entities:hash()
  assert(entities:restore(assert(cuttle.snapshot(entities:snapshot():tostring()))))
  assert(entities:hash() == again)
  saves.create(world, 9)
  valid(world)
  world:destroy()
end

local function source(bytes)
  local world = new_world()
  local blob, message = cuttle.compiler(world):compile(bytes)
  if not blob then return assert(type(message) == "string") end
  local resource = assert(cuttle.resource(blob))
  local spawned = world:spawn(resource)
  if spawned then use(world, resource, spawned) end
  world:destroy()
end

-- Reads values of the types that the bytes encode.
local function read(bytes)
  local r = cuttle.reader(bytes)
  local names = { "u8", "u16", "u32", "i8", "i16", "i32", "f32", "f64", "string" }
  for i = 1, #bytes do pcall(r[names[bytes:byte(i) % #names + 1]], r) end
  assert(r:left() >= 0)
end

local function formula(bytes)
  local trouble = formula_input.trouble(bytes)
  assert(not trouble, trouble)
end

local KINDS = { level, patch, save, source, read, formula }

return function(input)
  local kind = KINDS[(input:byte(1) or 0) % #KINDS + 1]
  kind(input:sub(2))
end
