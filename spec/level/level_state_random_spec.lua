-- Random levels that scripts change: a spawn with the state of the level gives the same entities and components. With
-- another version of the resource, everything that matches is the same. Damaged states are refused.

local cuttle = require "cuttle"
local damage = require "spec.support.damage"
local new_random = require "spec.support.random"
local random_level = require "spec.support.random_level"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local ROUNDS = rounds(60, 12)

describe("a random level with a state, seed " .. seed, function()
  local random, entities, world, compiler, outside, generator

  local function chance(one_in) return random(one_in) == 1 end

  before_each(function()
    random = new_random(seed)
    entities = cuttle.entity_manager { minimum_free_indices = 8 }
    world = cuttle.world(entities)
    world:define("health", { { "hp", "int32", 100 }, { "title", "string", "orc" }, { "target", "entity" },
      { "bag", "value" }, { "mood", "enum", { "calm", "cross" } }, { "spot", "vec3" } })
    world:define("wheel", { { "radius", "float", 1 }, { "goal", "entity" } }, { multiple = true })
    world.model:define_resource("hand", { nodes = { { name = "wrist" }, { name = "palm", parent = "wrist" } } })
    compiler = cuttle.compiler(world)
    outside = entities:create(3)
    world.transform:create(outside[1], { position = { 0, 0, 5 } })
  end)

  -- Level source ------------------------------------------------------------------------------------------------------

  local function some_wheels()
    local wheels = {}
    for i = 1, random(3) do wheels[i] = { radius = random(3), id = chance(2) and "w" .. i or nil } end
    return wheels
  end

  local function some_grid()
    local grid = { width = 2 + random(3), height = 2, cells = {} }
    for i = 1, grid.width * grid.height do grid.cells[i] = random(300) - 1 end
    if chance(2) then
      grid.flips = {}
      for i = 1, grid.width * grid.height do grid.flips[i] = random(8) - 1 end
    end
    return grid
  end

  local function some_components()
    local components = {}
    if not chance(4) then
      components.transform = { position = { random(3), 0, 0 }, scale = random(2), angle = chance(2) and 1 or nil }
    end
    if chance(2) then
      components.health = { hp = random(3), title = "t" .. random(2), bag = chance(2) and { random(2) } or nil,
        mood = chance(2) and "cross" or nil }
    end
    if chance(2) then components.wheel = some_wheels() end
    if chance(3) then components.grid = some_grid() end
    if chance(4) then components.model = { resource = "hand" } end
    if chance(4) then components.actor = { mass = random(3) } end
    return components
  end

  before_each(function() generator = random_level(random, { "n1", "n2", "n3" }, some_components) end)

  local function some_level() return generator.level() end

  local function load(list) return assert(cuttle.resource(assert(compiler:compile { entities = list }))) end

  -- Changes by scripts ------------------------------------------------------------------------------------------------

  local function one_of(list) return list[random(#list)] end

  local function some_target(list)
    local kind = random(4)
    if kind == 1 then return nil end
    return kind == 2 and one_of(outside) or one_of(list)
  end

  local changes = {
    function(e, list)
      if not world.health:has(e) then return end
      world.health:set(e, { hp = random(9), title = "changed", mood = chance(2) and "cross" or "calm",
        spot = { random(3), -0.0, 2 }, bag = chance(2) and { deep = { random(3), true, "x" } } or "text" })
      world.health:set_target(e, some_target(list))
      if chance(3) then world.health:set_bag(e, nil) end
    end,
    function(e) if world.transform:has(e) then world.transform:set_local_position(e, random(9), 2, 3) end end,
    function(e)
      if not world.transform:has(e) then return end
      world.transform:set_local_matrix(e, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1)
    end,
    function(e, list)
      local parent = chance(4) and outside[1] or one_of(list)
      if not world.transform:has(e) then return end
      if chance(3) then
        world.transform:unlink(e)
      elseif entities:alive(parent) and world.transform:has(parent) then
        local node = world.model:has(parent) and chance(2) and { node = chance(2) and "palm" or 1 } or nil
        pcall(world.transform.link, world.transform, e, parent, node) -- may close a cycle
      end
    end,
    function(e)
      if world.grid:has(e) then
        world.grid:set_cell(e, random(3) - 1, random(2) - 1, random(1000))
        if chance(2) then world.grid:set_flips(e, 0, 0, true, chance(2), false) end
        if chance(4) then world.grid:set(e, some_grid()) end
      end
    end,
    function(e, list)
      local wheels = world.wheel:ids(e)
      if #wheels > 0 then
        local wheel = world.wheel:lookup(e, one_of(wheels))
        if chance(2) then return world.wheel:destroy(wheel) end
        world.wheel:set(wheel, { radius = 9, goal = some_target(list) })
      end
    end,
    function(e)
      local id = chance(2) and "added" .. world.wheel:count() or nil
      if id and world.wheel:lookup(e, id) then id = nil end -- there were as many before
      world.wheel:create(e, { radius = 7, id = id })
    end,
    function(e)
      local name = one_of { "transform", "health", "grid", "model", "actor", "debug_name" }
      if world[name]:has(e) then world[name]:destroy(e) end
    end,
    function(e, list)
      local name = one_of { "transform", "health", "grid", "model", "actor", "debug_name", "point_mass" }
      local values = { grid = some_grid(), model = { resource = "hand" }, debug_name = { name = "new" },
        point_mass = { mass = 4 }, health = { target = some_target(list) } }
      if name == "transform" then
        local parent = one_of(list)
        values.transform = { position = { 1, random(4), 1 },
          parent = entities:alive(parent) and world.transform:has(parent) and parent or nil }
      end
      if not world[name]:has(e) then world[name]:create(e, values[name]) end
    end,
    function(e) entities:destroy(e) end,
  }

  local function change(level)
    local list = level:entities()
    for _ = 1, random(20) do
      local e = one_of(list)
      if entities:alive(e) then changes[random(#changes)](e, list) end
    end
    if chance(4) then
      local e = one_of(list)
      if entities:alive(e) then level:release(e) end
    end
  end

  -- Comparison --------------------------------------------------------------------------------------------------------

  -- Components without an id of their own have the order in which they were created.
  local function comes_before(a, b)
    local function key(wheel) return tostring(wheel.id) .. wheel.radius .. tostring(wheel.goal) end
    return key(a) < key(b)
  end

  -- Returns a function that gives the contents of a level as they are now: the components of each living entity, false
  -- for the others. `gone` has the entities that left the level. A reference is a place in the level, nil if that
  -- entity is dead, or an entity outside.
  local function contents(level)
    local places, living, found = {}, {}, {}
    for i, e in ipairs(level:entities()) do
      places[e], living[e] = i, entities:alive(e)
      found[i] = living[e] and world:inspect(e)
      local grid = found[i] and found[i].grid
      for x = 0, grid and grid.width - 1 or -1 do
        for y = 0, grid.height - 1 do grid[x .. "," .. y] = { world.grid:cell(e, x, y), world.grid:flips(e, x, y) } end
      end
    end
    return function(gone)
      local function target(e)
        if e == nil or not places[e] or gone[e] then return e end
        return living[e] and places[e] or nil
      end
      for i, e in ipairs(level:count() > 0 and level:entities() or gone) do
        local all = found[i]
        if all and gone[e] then
          found[i] = false
        elseif all then
          if all.transform then all.transform.parent = target(all.transform.parent) end
          if all.health then all.health.target = target(all.health.target) end
          if all.actor then all.actor.body = nil end
          for _, wheel in ipairs(all.wheel or {}) do
            wheel.goal = target(wheel.goal)
            if type(wheel.id) == "number" then wheel.id = nil end
          end
          table.sort(all.wheel or {}, comes_before)
        end
      end
      return found
    end
  end

  local function options()
    return { position = { random(5), 0, 0 }, scale = chance(2) and 2 or nil, parent = chance(3) and outside[1] or nil,
      overrides = chance(3) and { n1 = { point_mass = { mass = 2 } } } or nil }
  end

  local function spawn(resource, how)
    local level, message = world:spawn(resource, how)
    if level then return level end
    assert.is_truthy(message)
  end

  -- Spawns with options that fit: an override needs an entity of that name.
  local function spawn_first(resource, how)
    local ok, level = pcall(spawn, resource, how)
    if ok then return level end
    how.overrides = nil
    return spawn(resource, how)
  end

  it("has the entities and components that the level had", function()
    for round = 1, ROUNDS do
      local resource, how = load(some_level()), options()
      local level = spawn_first(resource, how)
      local empty = level:save()
      assert.equal(40, #empty)
      change(level)
      local state, before, gone = assert(level:save()), contents(level), level:entities()
      level:unload()
      for _, e in ipairs(gone) do gone[e] = entities:alive(e) end
      how.state = state
      local second = spawn(resource, how)
      assert.same({}, second:left())
      local a, b = before(gone), contents(second)({})
      for i = 1, #a do assert.same(a[i], b[i], ("round %d, entity %d"):format(round, i)) end
      assert.equal(#state, #second:save(), "round " .. round)
      valid(world)
      second:unload()
      for _, e in ipairs(gone) do entities:destroy(e) end
      world:gc "all"
    end
  end)

  -- Other versions ----------------------------------------------------------------------------------------------------

  -- Gives every entity an id, adds one in front and some below, and removes a few.
  local function edited(list)
    local result = { { id = "first", components = {}, children = {} } }
    for _, entity in ipairs(list) do
      local copy = { id = entity.id, name = entity.name, components = entity.components }
      copy.children = edited(entity.children)
      table.remove(copy.children, 1)
      if chance(2) then
        table.insert(copy.children, 1,
          { id = "new" .. generator.id(), components = { transform = {} }, children = {} })
      end
      if not chance(6) then result[#result + 1] = copy end
    end
    return result
  end

  local function identify(list, out)
    for _, entity in ipairs(list) do
      entity.id = "id" .. generator.id()
      out[#out + 1] = entity.id
      identify(entity.children, out)
    end
    return out
  end

  local function order_of(list, out)
    for _, entity in ipairs(list) do
      out[#out + 1] = entity.id
      order_of(entity.children, out)
    end
    return out
  end

  it("applies the state of another version to the entities that match", function()
    for round = 1, ROUNDS do
      local source = some_level()
      local names = identify(source, {})
      local version = edited(source)
      local old, new = load(source), load(version)
      local level = assert(world:spawn(old))
      change(level)
      local state, before, gone = assert(level:save()), contents(level), level:entities()
      level:unload()
      for _, e in ipairs(gone) do gone[e] = entities:alive(e) end
      local was, is = before(gone), assert(world:spawn(new, { state = state }))
      valid(world)
      local place, other, left = {}, order_of(version, {}), table.concat(is:left(), "\n")
      for i, id in ipairs(names) do place[id] = i end
      for j, id in ipairs(other) do
        local e, i = is:entity(j), place[id]
        local what = ("round %d, %s"):format(round, id)
        if i then
          assert.equal(was[i] and true or false, entities:alive(e), what)
          local health = was[i] and was[i].health
          if health then assert.equal(health.hp, world.health:hp(e), what) end
          if health then assert.equal(health.title, world.health:title(e), what) end
        end
        place[id] = nil
      end
      for id, i in pairs(place) do
        -- A change of a removed entity is reported, unless the entity was dead.
        if was[i] and was[i].health and was[i].health.title == "changed" then assert.truthy(left:find(id, 1, true)) end
      end
      is:unload()
      for _, e in ipairs(gone) do entities:destroy(e) end
      world:gc "all"
    end
  end)

  -- Damage ------------------------------------------------------------------------------------------------------------

  local function try(resource, state)
    local before = entities:hash()
    local level, message = world:spawn(resource, { state = state })
    if level then
      valid(world)
      assert.is_table(level:left())
      assert.is_string(level:save())
      level:unload()
      world:gc "all"
    else
      assert.equal("state: ", message:match "state: ")
      assert.equal(before, entities:hash())
    end
    return level
  end

  it("is refused if a byte is damaged or missing", function()
    local resource = load(some_level())
    local level = assert(world:spawn(resource))
    change(level)
    local state = assert(level:save())
    level:unload()
    world:gc "all"
    for at = 1, #state do
      local byte = state:byte(at)
      local other = string.char((byte + random(255)) % 256)
      assert.is_nil(try(resource, state:sub(1, at - 1) .. other .. state:sub(at + 1)))
      assert.is_nil(try(resource, state:sub(1, at - 1)))
    end
    assert.is_nil(try(resource, state .. "\0"))
    assert.is_truthy(try(resource, state))
  end)

  it("is refused or applied as far as it fits if its checksum was corrected", function()
    for _ = 1, ROUNDS do
      local resource, other = load(some_level()), load(some_level())
      local level = assert(world:spawn(resource))
      change(level)
      local state = assert(level:save())
      level:unload()
      for _ = 1, 20 do
        local damaged = damage(state, random)
        try(resource, damaged)
        try(other, damaged)
      end
    end
  end)
end)
