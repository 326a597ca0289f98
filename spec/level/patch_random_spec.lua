-- Random levels with random edits. The patch of an untouched level gives what a spawn of the edited level gives. The
-- patch of a level that a script changed is compared with a slow implementation of the rule.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local random_level = require "spec.support.random_level"
local seed = require "spec.support.seed"
local rounds = require "spec.support.rounds"
local valid = require "spec.support.valid"

local ROUNDS = rounds(12, 6)
local NAMES = { "a", "b", "c" }

describe("a random level that is patched, seed " .. seed, function()
  local random, entities, world, compiler, generator

  local function chance(one_in) return random(one_in) == 1 end

  before_each(function()
    random = new_random(seed)
    entities = cuttle.entity_manager { minimum_free_indices = 8 }
    world = cuttle.world(entities)
    world:define("health", { { "hp", "int32", 100 }, { "title", "string", "orc" }, { "target", "entity" },
      { "bag", "value" } })
    world:define("wheel", { { "radius", "float", 1 } }, { multiple = true })
    world.mesh:define_resource("body", {})
    world.mesh:define_resource("glass", {})
    compiler = cuttle.compiler(world)
  end)

  -- Level source ------------------------------------------------------------------------------------------------------

  local function some_health()
    return { hp = random(3), title = "t" .. random(2), bag = chance(2) and { random(2) } or nil,
      target = chance(2) and generator.ids > 0 and tostring(random(generator.ids)) or nil }
  end

  local function some_components()
    local components = {}
    if not chance(4) then components.transform = { position = { random(3), 0, 0 }, scale = random(2) } end
    if chance(2) then components.health = some_health() end
    if chance(3) then components.wheel = { { radius = random(3) }, chance(2) and { radius = random(3) } or nil } end
    if chance(3) then components.mesh = { { id = "m" .. random(2), resource = chance(2) and "body" or "glass" } } end
    return components
  end

  before_each(function() generator = random_level(random, NAMES, some_components) end)

  local function copy(value)
    if type(value) ~= "table" then return value end
    local result = {}
    for key, item in pairs(value) do result[key] = copy(item) end
    return result
  end

  -- All lists of entities in a level, to pick one.
  local function lists_of(list, out)
    out = out or {}
    out[#out + 1] = list
    for _, entity in ipairs(list) do lists_of(entity.children, out) end
    return out
  end

  local function known_ids(list, out)
    for _, entity in ipairs(list) do
      if entity.id then out[entity.id] = true end
      known_ids(entity.children, out)
    end
    return out
  end

  -- Removes references to entities that are not in the level.
  local function remove_dangling(list, known)
    for _, entity in ipairs(list) do
      local health = entity.components.health
      if health and not known[health.target] then health.target = nil end
      remove_dangling(entity.children, known)
    end
    return list
  end

  local function contains(entity, list)
    for _, other in ipairs(lists_of(entity.children)) do
      if other == list then return true end
    end
  end

  local function edit_once(level)
    local lists = lists_of(level)
    local list = lists[random(#lists)]
    local place = #list > 0 and random(#list)
    local entity = place and list[place]
    local kind = random(6)
    if not entity or kind == 1 then
      table.insert(list, place or 1, generator.entity(3))
    elseif kind == 2 then
      table.remove(list, place)
    elseif kind == 3 then
      local to = lists[random(#lists)]
      if to ~= list and not contains(entity, to) then
        table.remove(list, place)
        to[#to + 1] = entity
      end
    elseif kind == 4 then
      entity.name = chance(2) and NAMES[random(3)] or nil
    else
      local other, names = some_components(), { "transform", "health", "wheel", "mesh" }
      local name = names[random(4)]
      entity.components[name] = other[name]
    end
  end

  local function edited(level)
    local result = copy(level)
    for _ = 1, random(4) do edit_once(result) end
    return remove_dangling(result, known_ids(result, {}))
  end

  local function load(level)
    local list = remove_dangling(level, known_ids(level, {}))
    return assert(cuttle.resource((assert(compiler:compile { entities = list }))))
  end

  -- The state of a level ----------------------------------------------------------------------------------------------

  local function rounded(value)
    if type(value) ~= "table" then
      return type(value) == "number" and math.floor(value * 1024 + 0.5) / 1024 or value
    end
    local result = {}
    for key, item in pairs(value) do result[key] = rounded(item) end
    return result
  end

  -- Maps each entity of a level to its place, so that two spawns can be compared.
  local function places_of(level)
    local places = {}
    for i, e in ipairs(level:entities()) do places[e] = i end
    return places
  end

  -- Returns the components of all entities of a level. Instances without an id of their own are compared by order.
  local function state_of(level)
    local places, found = places_of(level), {}
    for i, e in ipairs(level:entities()) do
      local state = rounded(world:inspect(e))
      if state.transform then state.transform.parent = places[state.transform.parent] end
      if state.health then state.health.target = places[state.health.target] end
      for _, wheel in ipairs(state.wheel or {}) do wheel.id = nil end
      table.sort(state.mesh or {}, function(a, b) return a.id < b.id end)
      found[i] = state
    end
    return found
  end

  local function options()
    return { position = { random(5), 0, 0 }, scale = chance(2) and 2 or nil }
  end

  it("gets the state that a spawn of the edited level gives, if no script changed it", function()
    for round = 1, ROUNDS do
      local from = generator.level()
      local to, how = edited(from), options()
      local old, new = load(from), load(to)
      local level = assert(world:spawn(old, how))
      for _ = 1, random(2) do
        local counts = assert(level:patch(new))
        local expected = assert(world:spawn(new, how))
        local a, b = state_of(expected), state_of(level)
        for i = 1, #a do assert.same(a[i], b[i], ("round %d, entity %d"):format(round, i)) end
        assert.equal(expected:count(), level:count())
        expected:unload()
        assert.same({}, counts.left)
        valid(world)
        -- A second patch has nothing left to do. The next round patches back.
        assert.same({ added = 0, removed = 0, changed = 0, moved = 0, left = {} }, level:patch(new))
        old, new = new, old
      end
      level:unload()
      world:gc "all"
      assert.equal(0, entities:count())
      generator.ids = 0
    end
  end)

  -- Changes by scripts ------------------------------------------------------------------------------------------------

  it("keeps what a script changed, field by field", function()
    for round = 1, ROUNDS do
      local from = generator.level()
      local to, how = edited(from), options()
      local old, new = load(from), load(to)
      -- The first level is not touched: its patch gives the values of a spawn and the order of the entities.
      local first, second = assert(world:spawn(old, how)), assert(world:spawn(old, how))
      local before = {}
      for i, e in ipairs(first:entities()) do before[e] = { place = i, state = state_of(first)[i] } end
      -- A script changes some fields of the second level.
      local touched = {}
      for i, e in ipairs(second:entities()) do
        touched[i] = {}
        if chance(3) and world.health:has(e) then
          world.health:set_hp(e, 50 + random(50))
          touched[i].hp = world.health:hp(e)
        end
        if chance(3) and world.transform:has(e) then
          world.transform:set_local_scale(e, 7, 7, 7)
          touched[i].scale = true
        end
        if chance(4) and world.health:has(e) then
          world.health:destroy(e)
          touched[i] = { scale = touched[i].scale, gone = true }
        end
      end
      assert(first:patch(new))
      assert(second:patch(new))
      local expected, found = state_of(first), state_of(second)
      for j, e in ipairs(first:entities()) do
        local was = before[e]
        local mine = was and touched[was.place] or {}
        local want = expected[j]
        -- A component that was added or removed by the patch has no values of the script.
        if mine.hp and want.health and was.state.health then want.health.hp = mine.hp end
        if mine.gone and was.state.health then want.health = nil end
        if mine.scale and want.transform and was.state.transform then want.transform.scale = { 7, 7, 7 } end
      end
      for i, state in ipairs(found) do
        assert.same(expected[i], state, ("round %d, entity %d"):format(round, i))
      end
      valid(world)
      first:unload()
      second:unload()
      world:gc "all"
      generator.ids = 0
    end
  end)
end)
