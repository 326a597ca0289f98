-- Removal of adjacent dead rows as a run, after which references to the rows that fill the gap are updated. Compared
-- with a model, with components whose rows refer to each other.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local ENTITIES = 80

local function new_world()
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  world:define("part", { { "n", "int32" }, { "text", "string" }, { "any", "value" } })
  world:define("item", { { "k", "int32" } }, { multiple = true })
  world.model:define_resource("pole", { nodes = { { name = "foot" }, { name = "top", parent = "foot" } } })
  return world, entities
end

-- Creates entities with a number, some with an older entity as parent.
local function populate(world, entities, random, living)
  for _ = 1, ENTITIES do
    local e, n = entities:create(), random(1000)
    local parent = #living > 0 and random(3) > 1 and living[random(#living)].e or nil
    world.transform:create(e, { position = { n, 0, 0 }, parent = parent })
    world.debug_name:create(e, { name = "name" .. n % 7 })
    world.part:create(e, { n = n, text = "text" .. n % 5, any = { n } })
    for i = 1, n % 5 do world.item:create(e, { k = n + i, id = i < 3 and "id" .. i or nil }) end
    if n % 3 == 0 then world.model:create(e, { resource = "pole" }) end
    if n % 4 == 0 then world.grid:create(e, { width = 1, height = 1, cells = { n } }) end
    living[#living + 1] = { e = e, n = n, parent = parent }
  end
end

-- Links random entities, also older ones below younger ones.
local function relink(world, random, living)
  for _ = 1, 40 do
    local child, parent = living[random(#living)], living[random(#living)]
    if pcall(world.transform.link, world.transform, child.e, parent.e) then child.parent = parent.e end
  end
end

-- Gives older entities another item, whose row is not beside the others.
local function add_items(world, random, living)
  for _ = 1, 10 do
    local one = living[random(#living)]
    one.more = (one.more or 0) + 1
    world.item:create(one.e, { k = one.n + one.n % 5 + one.more })
  end
end

local function check_items(world, one)
  local count = one.n % 5 + (one.more or 0)
  local k = one.n
  for i in world.item:instances(one.e) do
    k = k + 1
    assert.equal(k, world.item:k(i))
  end
  assert.equal(one.n + count, k)
  if one.n % 5 > 1 then assert.equal(one.n + 2, world.item:k(world.item:lookup(one.e, "id2"))) end
end

-- Destroys neighbours, in one of the two directions.
local function kill_some(entities, random, living)
  local first = random(#living)
  local last = math.min(#living, first + random(30) - 1)
  local dead = {}
  for i = first, last do dead[#dead + 1] = living[i].e end
  if random(2) == 1 then
    for i = 1, math.floor(#dead / 2) do dead[i], dead[#dead + 1 - i] = dead[#dead + 1 - i], dead[i] end
  end
  for _, e in ipairs(dead) do entities:destroy(e) end
  for _ = first, last do table.remove(living, first) end
end

local function check(world, entities, living)
  for _, one in ipairs(living) do
    local e, n = one.e, one.n
    local parent = one.parent and entities:alive(one.parent) and one.parent or nil
    local found = world.transform:parent(e)
    assert.equal(parent, found and world.transform:entity(found))
    assert.equal(n, world.part:n(e))
    assert.equal("text" .. n % 5, world.part:text(e))
    assert.equal(n, world.part:any(e)[1])
    assert.equal("name" .. n % 7, world.debug_name:debug_name(e))
    assert.equal(n % 3 == 0, world.model:has(e))
    check_items(world, one)
    if n % 4 == 0 then assert.equal(n, world.grid:cell(e, 0, 0)) end
  end
  valid(world)
end

describe("removing runs of dead rows, seed " .. seed .. ",", function()
  it("leaves the components of a model", function()
    local random = new_random(seed)
    for _ = 1, rounds(30, 3) do
      local world, entities = new_world()
      local living = {}
      for _ = 1, 4 do
        populate(world, entities, random, living)
        relink(world, random, living)
        add_items(world, random, living)
        for _ = 1, random(4) do kill_some(entities, random, living) end
        world:gc(({ nil, "all", 10 })[random(3)])
        check(world, entities, living)
      end
      world:gc "all"
      assert.equal(#living, world.part:count())
      check(world, entities, living)
    end
  end)

  it("are those of a level that was restarted, beside others", function()
    local world, entities = new_world()
    local random, living, list = new_random(seed), {}, {}
    for i = 1, ENTITIES do
      list[i] = {
        id = "e" .. i,
        parent = random(3) > 1 and i > 1 and "e" .. random(i - 1) or nil,
        components = { transform = { position = { i, 0, 0 } }, item = { { k = i }, { k = i + 1 } } },
      }
    end
    local resource = cuttle.resource(assert(cuttle.compiler(world):compile { entities = list }))
    local level = world:spawn(resource)
    for _ = 1, rounds(20, 3) do
      if random(2) == 1 then populate(world, entities, random, living) end
      if #living > 0 then -- links between the level and others
        local one, e = living[random(#living)], level:entity(random(ENTITIES))
        if random(2) == 1 then
          pcall(world.transform.link, world.transform, e, one.e)
        elseif pcall(world.transform.link, world.transform, one.e, e) then
          one.parent = e
        end
      end
      assert(level:restart())
      if random(4) > 1 then world:gc(({ nil, "all", 30 })[random(3)]) end
      for i, one in ipairs(list) do
        local e = level:entity(i)
        local parent = one.parent and level:entity(tonumber(one.parent:sub(2)))
        local above = world.transform:parent(e)
        assert.equal(parent, above and world.transform:entity(above))
        local items = {}
        for instance in world.item:instances(e) do items[#items + 1] = world.item:k(instance) end
        assert.same({ i, i + 1 }, items)
      end
      check(world, entities, living)
    end
  end)

  it("with a limit moves rows together, so that most stay in order", function()
    for _, options in ipairs { {}, { multiple = true } } do
      local world = cuttle.world(cuttle.entity_manager { minimum_free_indices = 0 })
      world:define("tenth", { { "n", "int32" } }, options)
      world:define("every", { { "n", "int32" } }, options)
      local entities = world.entities
      local dead, living = entities:create(400), entities:create(400)
      for _, list in ipairs { dead, living } do
        for i = 1, #list do
          world.every:create(list[i], { n = i })
          if i % 10 == 0 then world.tenth:create(list[i], { n = i }) end
        end
      end
      entities:destroy(dead)
      for _ = 1, 200 do world:gc(50) end
      for name, size in pairs { every = 400, tenth = 40 } do
        local breaks, last = 0, 0
        for _, instance in world[name]:each() do
          local n = world[name]:n(instance)
          if n < last then breaks = breaks + 1 end
          last = n
        end
        assert.equal(size, world[name]:count())
        assert.is_true(breaks <= 10)
      end
      valid(world)
    end
  end)
end)
