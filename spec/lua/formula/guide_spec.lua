-- The systems of the guide "Systems in one call" (docs/formulas.md), each beside the same loop in Lua: the same bits.

local cuttle = require "cuttle"
local core = require "cuttle.core"
local random = require "spec.support.random"
local seed = require "spec.support.seed"
local tree = require "spec.support.tree"

-- Lua that computes with the x87 rounds twice, to 64 bits and then to 53: its loops have other bits than formulas.
if 1 + (2 ^ -53 + 2 ^ -65) == 1 then return end

local GUIDE = tree.read "docs/formulas.md"

-- Returns the text of a formula of the guide, by the name of its variable.
local function text_of(name)
  return assert(GUIDE:match("local " .. name .. " = world:formula%(%[%[\n(.-)%]%]"), "the guide has no formula "
    .. name)
end

-- The definitions of components that the guide shows.
local function define(world)
  for name, fields in GUIDE:gmatch 'world:define%("(%w+)", (%b{})%)' do
    world:define(name, assert(loadstring("return " .. fields))())
  end
end

local COUNT = 20 -- entities

local COMPONENTS = { "transform", "velocity", "mover", "lifetime", "health", "homing", "sprite", "wave", "shake",
  "weapon",
  "spin" }

-- Random numbers of float precision, among them whole numbers and negative ones.
local pick = random(seed)
local function number() return (pick(4000) - 2000) / 2 ^ (pick(12) - 1) end

local VALUES = {
  float = number,
  vec2 = function() return { number(), number() } end,
  vec3 = function() return { number(), number(), number() } end,
  color = function() return { number(), number(), number(), number() } end,
  int32 = function() return pick(2000) - 500 end,
  bool = function() return pick(2) == 1 end,
}

-- Two worlds with the same entities and values: in the first, a formula runs; in the second, a loop.
local function new_worlds()
  local entities = cuttle.entity_manager()
  local list, worlds = entities:create(COUNT + 1), { cuttle.world(entities), cuttle.world(entities) }
  entities:destroy(list[COUNT + 1])
  for _, world in ipairs(worlds) do define(world) end
  for place = 1, COUNT do
    local e = list[place]
    for _, name in ipairs(COMPONENTS) do
      local values = {}
      for _, field in ipairs(worlds[1]:manager(name):fields()) do
        if field[2] == "entity" then values[field[1]] = pick(4) > 1 and list[pick(COUNT + 1)] or nil end
        if VALUES[field[2]] and name ~= "transform" then values[field[1]] = VALUES[field[2]]() end
      end
      if name == "transform" then values = { position = VALUES.vec3(), angle = number() } end
      for _, world in ipairs(worlds) do world:manager(name):create(e, values) end
    end
  end
  table.remove(list)
  return worlds[1], worlds[2], list
end

local function show(...)
  local parts = { ... }
  for place, value in ipairs(parts) do
    parts[place] = type(value) == "number" and ("%.9g %s"):format(value, 1 / value) or tostring(value)
  end
  return table.concat(parts, " ")
end

local function dump(world, list)
  local lines = {}
  for place, e in ipairs(list) do
    for _, name in ipairs(COMPONENTS) do
      local manager = world:manager(name)
      for _, field in ipairs(manager:fields()) do
        lines[#lines + 1] = ("%d %s.%s %s"):format(place, name, field[1], show(manager:read(e, field[1])))
      end
    end
  end
  return table.concat(lines, "\n")
end

-- Runs a formula of the guide in one world and a loop in the other, three times, and compares.
local function check(name, parameters, loop)
  it("'" .. name .. "' computes the bits of the loop", function()
    local world, looped, list = new_worlds()
    local formula = world:formula(text_of(name), parameters)
    assert.equal(dump(world, list), dump(looped, list))
    local before = dump(world, list)
    for _ = 1, 3 do
      formula()
      looped.transform:batch(function() loop(looped, parameters) end)
      assert.equal(dump(looped, list), dump(world, list))
    end
    assert.not_equal(before, dump(world, list))
  end)
end

local function maximum(a, b) return b > a and b or a end
local function minimum(a, b) return b < a and b or a end

-- Numbers are stored as floats by every write. `quat` of an angle is what set_local_pose_2d and formulas store.

describe("The system of the guide, seed " .. seed .. ",", function()
  check("move", { dt = 1 / 60 }, function(world, p)
    for body, velocity in world:query("transform", "velocity"):items() do
      local place, v = body.local_position, velocity.v
      place:set(place.x + v.x * p.dt, place.y + v.y * p.dt, place.z + v.z * p.dt)
    end
  end)

  check("fall", { gravity = 100, dt = 1 / 60 }, function(world, p)
    for body, mover in world:query("transform", "mover"):items() do
      local place, v = body.local_position, mover.v
      v.y = v.y + p.gravity * p.dt
      local keep = maximum(1 - mover.drag * p.dt, 0)
      v:set(v.x * keep, v.y * keep)
      place.x, place.y = place.x + v.x * p.dt, place.y + v.y * p.dt
    end
  end)

  check("age", { dt = 1 / 60 }, function(world, p)
    for life in world:query("lifetime"):items() do life.left = life.left - p.dt end
  end)

  check("home", { dt = 0.5 }, function(world, p)
    for homing, mover in world:query("homing", "mover"):items() do
      local target, x, y = homing.target, world.transform:world_position(homing.entity)
      if target and world.entities:alive(target) then
        local tx, ty = world.transform:world_position(target)
        local wx, wy = tx - x, ty - y
        local length = math.sqrt(wx * wx + wy * wy)
        if length == 0 then wx, wy, length = 0, 0, 1 end
        local v = mover.v
        v:set(v.x + wx / length * homing.force * p.dt, v.y + wy / length * homing.force * p.dt)
      end
    end
  end)

  check("bounce", { size = { 800, 600 } }, function(world, p)
    for body, mover in world:query("transform", "mover"):items() do
      local place, v = body.local_position, mover.v
      if place.x < 0 then v.x = math.abs(v.x) elseif place.x > p.size[1] then v.x = -math.abs(v.x) end
      if place.y < 0 then v.y = math.abs(v.y) elseif place.y > p.size[2] then v.y = -math.abs(v.y) end
    end
  end)

  check("fade", { time = 2 }, function(world, p)
    for sprite, life in world:query("sprite", "lifetime"):items() do
      sprite.color.a = minimum(maximum(life.left / p.time, 0), 1)
    end
  end)

  check("sway", { time = 1.25 }, function(world, p)
    for body, wave in world:query("transform", "wave"):items() do
      body.local_position.y = wave.base + cuttle.sin(p.time * wave.speed + wave.phase) * wave.height
    end
  end)

  check("blast", { center = { 30, 40 }, radius = 1000, damage = 80 }, function(world, p)
    for health in world:query("health", "transform"):items() do
      local x, y = world.transform:world_position(health.entity)
      local dx, dy = x - p.center[1], y - p.center[2]
      local distance = math.sqrt(dx * dx + dy * dy)
      if distance < p.radius then health.hp = health.hp - math.floor(p.damage * (1 - distance / p.radius)) end
    end
  end)

  check("quake", { dt = 0.001, strength = 20, seed = 5 }, function(world, p)
    for shake in world:query("shake"):items() do
      shake.left = maximum(shake.left - p.dt, 0)
      local id, left = cuttle.entity_id(shake.entity), shake.left
      local function lane(place) return (core.formula.random(id, place, p.seed) - 0.5) * p.strength * left end
      shake.offset:set(lane(1), lane(2))
    end
  end)

  check("cool", { dt = 0.25, pause = 0.5 }, function(world, p)
    for weapon in world:query("weapon"):items() do
      weapon.wait = maximum(weapon.wait - p.dt, 0)
      if weapon.firing and weapon.wait == 0 then
        weapon.wait = p.pause
        weapon.shots = weapon.shots + 1
      end
    end
  end)

  check("face", {}, function(world)
    for body, mover in world:query("transform", "mover"):items() do
      world.transform:write_many({ body.entity }, "local_angle", cuttle.atan2(mover.v.y, mover.v.x))
    end
  end)

  check("turn", { dt = 0.5 }, function(world, p)
    for body, spin in world:query("transform", "spin"):items() do
      local angle = world.transform:read_many({ body.entity }, "local_angle")[1]
      world.transform:write_many({ body.entity }, "local_angle", angle + spin.speed * p.dt)
    end
  end)
end)

describe("A condition of the guide", function()
  local world, _, list = new_worlds()

  local function expect(condition, accept)
    local found = {}
    for _, e in ipairs(list) do
      if accept(e) then found[#found + 1] = e end
    end
    assert.same(found, world:query("lifetime", "health"):where(condition):entities())
    assert.is_truthy(GUIDE:find('where "' .. condition .. '"', 1, true))
  end

  it("selects the entities of the loop", function()
    expect("lifetime.left <= 0", function(e) return world.lifetime:left(e) <= 0 end)
    expect("health.hp <= 0", function(e) return world.health:hp(e) <= 0 end)
  end)

  it("ends them", function()
    local dead = world:query("health"):where "health.hp <= 0"
    local count = dead:count()
    assert.equal(count, dead:destroy())
    assert.equal(0, dead:count())
    assert.equal(#list - count, world.entities:count())
  end)
end)
