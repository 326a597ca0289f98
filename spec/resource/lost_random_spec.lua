-- Levels whose entities die while ids repeat, compared with a model that knows which are alive.

local cuttle = require "cuttle"
local random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local slow = require "spec.support.slow"
local valid = require "spec.support.valid"

describe(("levels while ids repeat (seed %d)"):format(seed), function()
  local entities, world, resources, levels, draw, saved, reused

  local function load(source)
    return cuttle.resource(assert(cuttle.compiler(world):compile(source)))
  end

  before_each(function()
    draw = random(seed)
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    resources, levels, saved, reused = {}, {}, nil, 0
    for count = 1, 3 do
      local source = { entities = {} }
      for i = 1, count do source.entities[i] = { name = "e" .. i, components = { transform = {} } } end
      resources[count] = load(source)
    end
  end)

  local actions = {}

  function actions.spawn()
    if #levels >= 6 then return end
    local count = draw(3)
    local living = {}
    for i = 1, count do living[i] = true end
    levels[#levels + 1] = { level = world:spawn(resources[count]), living = living }
  end

  function actions.kill()
    local one = levels[draw(math.max(#levels, 1))]
    local i = one and draw(#one.living)
    if not one or not one.living[i] then return end
    assert.is_true(entities:destroy(one.level:entity(i)))
    one.living[i] = false
  end

  function actions.repeat_ids()
    for _ = 1, draw(2) * 256 * (entities:count() + 2) do entities:destroy(entities:create()) end
  end

  -- Issues the id of a dead entity again; the new entity usually lives on.
  function actions.reuse_id()
    local one = levels[draw(math.max(#levels, 1))]
    local i = one and draw(#one.living)
    if not one or one.living[i] then return end
    local old = one.level:entity(i)
    for _ = 1, 6000 do
      local e = entities:create()
      if e == old then
        reused = reused + 1
        if draw(3) == 1 then entities:destroy(e) end
        return
      end
      entities:destroy(e)
    end
  end

  function actions.unload()
    if #levels == 0 then return end
    local one = table.remove(levels, draw(#levels))
    local count = 0
    for _, alive in ipairs(one.living) do count = count + (alive and 1 or 0) end
    assert.equal(count, one.level:unload())
    saved = nil
  end

  function actions.restart()
    local one = levels[draw(math.max(#levels, 1))]
    if not one then return end
    one.level:restart()
    for i in ipairs(one.living) do one.living[i] = true end
  end

  function actions.patch()
    local one = levels[draw(math.max(#levels, 1))]
    if not one then return end
    for _, alive in ipairs(one.living) do
      if not alive then return end
    end
    local count = draw(3)
    assert(one.level:patch(resources[count]))
    one.living = {}
    for i = 1, count do one.living[i] = true end
    saved = nil
  end

  function actions.save()
    saved = { snapshot = entities:snapshot(), levels = {} }
    for i, one in ipairs(levels) do saved.levels[i] = { level = one.level, living = { unpack(one.living) } } end
  end

  function actions.restore()
    if not saved then return end
    entities:restore(saved.snapshot)
    levels = {}
    for i, one in ipairs(saved.levels) do levels[i] = { level = one.level, living = { unpack(one.living) } } end
  end

  local names = { "spawn", "kill", "kill", "repeat_ids", "reuse_id", "reuse_id", "unload", "restart", "patch", "save",
    "restore" }

  it("never treat an entity with a reused id as their own", function()
    -- More steps follow until an id was reused.
    local step, least = 0, rounds(400, 60)
    while step < least or (not slow and step < 20 * least and reused == 0) do
      step = step + 1
      local name = names[draw(#names)]
      actions[name]()
      for _, one in ipairs(levels) do
        for i, alive in ipairs(one.living) do
          local found = one.level:find("e" .. i)
          assert.equal(alive and one.level:entity(i) or nil, found, name)
        end
      end
    end
    valid(world)
    assert.is_true(slow or reused > 0)
  end)

  -- Each of the next 'count' ids is the first of its index again.
  local function come_round(count)
    local list = entities:create(count)
    for _ = 1, 255 do
      entities:destroy(list)
      list = entities:create(count)
    end
    entities:destroy(list)
  end

  local function many(count)
    local source = { entities = {} }
    for i = 1, count do source.entities[i] = { components = { transform = {} } } end
    return load(source)
  end

  it("lose none that lives when indices of another level come round", function()
    local count, distance = 64, 15360 -- indices at this distance have nearly the same hash
    local resource = many(count)
    local whole = world:spawn(resource)
    entities:create(distance - count)
    local other = world:spawn(resource)
    assert.equal(distance, cuttle.entity_index(other:entity(1)) - cuttle.entity_index(whole:entity(1)))
    for i = 2, count do entities:destroy(other:entity(i)) end
    come_round(count - 1)
    assert.equal(1, other:unload())
    assert.equal(count, whole:unload())
  end)

  it("are restarted in no time when all indices come round", function()
    local count = rounds(60000, 1000) -- in quadratic time some seconds
    local level = world:spawn(many(count))
    come_round(count)
    assert(level:restart())
    assert.equal(count, level:unload())
  end)
end)
