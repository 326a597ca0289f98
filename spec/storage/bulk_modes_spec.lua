-- Bulk calls for transforms compared bit by bit with a setter for each transform. Two equal worlds are changed in every
-- mode: one by the bulk call, the other by setters; then all values are compared.

-- tags: ffi

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local LANES = { local_position = 3, local_rotation = 4, local_scale = 3 }
local FIELDS = { "local_position", "local_rotation", "local_scale" }
local COUNT = 40

-- Both worlds share their entities, so that links can be the same.
local function scene(random)
  local s = { random = random, entities = cuttle.entity_manager(), worlds = {} }
  s.list = s.entities:create(COUNT)
  for number = 1, 2 do
    local world = cuttle.world(s.entities)
    world:define("source", { { "local_position", "vec3" }, { "local_rotation", "quat" }, { "local_scale", "vec3" } })
    s.worlds[number] = world
  end
  local function both(fn) for _, world in ipairs(s.worlds) do fn(world) end end
  for place, e in ipairs(s.list) do
    local parent = place > 1 and random(3) > 1 and s.list[random(place - 1)] or nil
    both(function(world) world.transform:create(e, { parent = parent }) end)
    if random(4) > 1 then both(function(world) world.source:create(e) end) end
  end
  for _ = 1, random(4) - 1 do s.entities:destroy(s.list[random(COUNT)]) end
  s.both = both
  return s
end

-- A multiple of 1/300, which is rarely an exact float.
local function number(s) return (s.random(2001) - 1001) / 300 end

local function values(s, field, count)
  local flat = {}
  for place = 1, count * LANES[field] do flat[place] = number(s) end
  return flat
end

local function alive(s)
  local list = {}
  for _, e in ipairs(s.list) do
    if s.entities:alive(e) and s.random(3) > 1 then list[#list + 1] = e end
  end
  return list
end

local function set_each(world, list, field, flat)
  local lanes = LANES[field]
  for place, e in ipairs(list) do
    world.transform["set_" .. field](world.transform, e, unpack(flat, (place - 1) * lanes + 1, place * lanes))
  end
end

-- Each returns a function for the first world and one for the second.
local calls = {}

function calls.write_many(s, field)
  local list = alive(s)
  local flat = values(s, field, #list)
  return function(world) assert.equal(#list, world.transform:write_many(list, field, flat)) end,
    function(world) set_each(world, list, field, flat) end
end

local function fill_source(s, field)
  for _, e in ipairs(s.list) do
    if s.entities:alive(e) then
      local flat = values(s, field, 1)
      s.both(function(world) if world.source:has(e) then world.source:write(e, field, unpack(flat)) end end)
    end
  end
end

function calls.copy(s, field)
  fill_source(s, field)
  return function(world) world:copy("source", field, "transform", field) end,
    function(world)
      for e in world:join("transform", "source") do
        set_each(world, { e }, field, { world.source:read(e, field) })
      end
    end
end

function calls.add_scaled(s, field)
  fill_source(s, field)
  local k = number(s)
  return function(world) world:add_scaled("source", field, "transform", field, k) end,
    function(world)
      for e in world:join("transform", "source") do
        local from, to = { world.source:read(e, field) }, { world.transform:read(e, field) }
        for lane, value in ipairs(from) do to[lane] = to[lane] + k * value end
        set_each(world, { e }, field, to)
      end
    end
end

local modes = {
  immediate = function(_, fn) fn() end,
  batch = function(world, fn) world.transform:batch(fn) end,
  deferred = function(world, fn)
    world.transform:set_mode "deferred"
    fn()
    world.transform:propagate()
    world.transform:set_mode "immediate"
  end,
}

-- All numbers as text, including the sign of zeros.
local function bits_of(world, list)
  local text = {}
  local function add(...)
    for place = 1, select("#", ...) do
      local value = select(place, ...)
      text[#text + 1] = ("%.17g"):format(value == 0 and 1 / value or value)
    end
  end
  for _, e in ipairs(list) do
    add(world.transform:local_position(e))
    add(world.transform:local_rotation(e))
    add(world.transform:local_scale(e))
    add(world.transform:world_matrix(e))
  end
  return table.concat(text, " ")
end

describe("bulk calls for transforms, seed " .. seed .. ",", function()
  for mode, inside in pairs(modes) do
    for call, prepare in pairs(calls) do
      it("have the same bits as a setter for each: " .. call .. " in " .. mode .. " mode", function()
        for round = 1, rounds(10, 2) do
          local s = scene(new_random((seed + round * 7919) % 2 ^ 31))
          for _ = 1, 6 do
            local field = FIELDS[s.random(#FIELDS)]
            local many, each = prepare(s, field)
            inside(s.worlds[1], function() many(s.worlds[1]) end)
            inside(s.worlds[2], function() each(s.worlds[2]) end)
            local list = {}
            for _, e in ipairs(s.list) do if s.entities:alive(e) then list[#list + 1] = e end end
            assert.equal(bits_of(s.worlds[2], list), bits_of(s.worlds[1], list))
          end
          s.both(valid)
        end
      end)
    end
  end
end)
