-- Actions that only read, in every possible operation: components, entities, queries, worlds, levels, dead entities.

local cuttle = require "cuttle"
local fields = require "spec.support.play.fields"
local levels = require "spec.support.play.levels"
local need = require("spec.support.play.run").need
local scenery = require "spec.support.play.scenery"
local spawned = require "spec.support.play.spawned"

local actions = {}

local function same(expected, got, label)
  if fields.same(expected, got) then return end
  local function text(value)
    if cuttle.is_entity(value) then return cuttle.entity_tostring(value) end
    return type(value) == "userdata" and "userdata" or fields.text(value)
  end
  error(("%s: expected %s, got %s"):format(label, text(expected), text(got)), 0)
end

-- ---------------------------------------------------------------- components

-- The expected result of a getter; several numbers are a table.
local function expected_value(run, field, value)
  if field[2] == "entity" then return value and run.state.ids[value] or nil end
  if field[2] == "value" then return value or nil end
  return value
end

local function one(...)
  if select("#", ...) > 1 then return { ... } end
  return (...)
end

-- The fields of a manager, without the cells of grids.
local function real_fields(run, w, m)
  local list = {}
  for _, field in ipairs(run:fields(w, m)) do
    if not (scenery.COMPONENTS[m].own_methods and field[1]:find "^cell%d") then list[#list + 1] = field end
  end
  return list
end

local function any_component(gen)
  local w = gen:world()
  local m = gen:kind(w, "transform")
  return w, m, gen:owner(w, m)
end

-- Fields without a getter, because a method has the name.
local NAMES_OF_METHODS = { name = true, at = true }

actions.read = { weight = 2, make = any_component,
  play = function(run, w, m, n, i)
    local component, manager, target = run:component(w, m, n, i)
    for _, field in ipairs(real_fields(run, w, m)) do
      local name, expected = field[1], expected_value(run, field, component[field[1]])
      same(expected, one(manager:read(target, name)), "read of " .. name)
      local getter = not NAMES_OF_METHODS[name] and manager[name]
      if getter then same(expected, one(getter(manager, target)), "the getter of " .. name) end
    end
  end,
}

-- Reads a field of several entities, some of which may lack the component.
actions.read_many = { weight = 1,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w, "transform")
    return w, m, gen:several(6), gen.random(20)
  end,
  play = function(run, w, m, names, number)
    local list, manager, flat = run:entities_of(names), run:manager(w, m), {}
    local all = real_fields(run, w, m)
    local field = all[number % #all + 1]
    local width = fields.width(field)
    for i, n in ipairs(names) do
      local components = run.state:list(w, m, n)
      local value = components and expected_value(run, field, components[1][field[1]])
      for lane = 1, width do
        flat[#flat + 1] = components and width > 1 and value[lane] or width == 1 and value or false
      end
      same(components ~= nil and manager:lookup(list[i]) or false, manager:lookup_many(list)[i], "lookup_many")
    end
    same(flat, manager:read_many(list, field[1]), "read_many of " .. field[1])
  end,
}

-- Converts between instance, row, id and owner.
actions.rows = { weight = 1, make = any_component,
  play = function(run, w, m, n)
    local list, manager, e = need(run.state:list(w, m, n)), run:manager(w, m), run:entity(n)
    local row = manager:row(e)
    run.equal(manager:lookup(e), manager:at(row), "the instance of a row")
    run.equal(e, manager:entity_at(row), "the owner of a row")
    run.equal(row, manager:row_of_id(cuttle.entity_id(e)), "the row of an id")
    run.equal(true, row < manager:count(), "a row is below the count")
    local ids = {}
    for i, component in ipairs(list) do ids[i] = component.id end
    if scenery.COMPONENTS[m].multiple then same(ids, manager:ids(e), "ids") end
    local found, expected = 0, 0
    for owner, instance in manager:each() do
      run.equal(owner, manager:entity(instance), "the owner of an instance")
      found = found + 1
    end
    for _, components in pairs(run.state.worlds[w][m].of) do expected = expected + #components end
    run.equal(expected, found, "each")
  end,
}

-- Changes whole columns in one call, including rows of dead entities.
local WHOLE = { { "stats", "f" }, { "stats", "v2" }, { "stats", "v3" }, { "point_mass", "velocity" },
  { "point_mass", "mass" }, { "item", "at" } }

actions.whole_column = { weight = 1,
  make = function(gen)
    local operation = ({ "fill", "scale", "add" })[gen.random(3)]
    return gen.random(#WHOLE), operation, gen.random(9) - 5
  end,
  play = function(run, number_of_column, operation, number)
    local m, name = unpack(need(WHOLE[number_of_column]))
    local column = run:manager("field", m):column(name)
    local of, changes = run.state.worlds.field[m].of, {}
    for _, list in pairs(of) do
      for _, component in ipairs(list) do
        local value = component[name]
        local lanes = type(value) == "table" and value or { value }
        for i, lane in ipairs(lanes) do need(math.abs(lane) < 4096 and i) end
        local out = {}
        for i, lane in ipairs(lanes) do
          out[i] = operation == "fill" and number or operation == "scale" and number * lane or lane * (1 + number)
        end
        changes[#changes + 1] = { component, type(value) == "table" and out or out[1] }
      end
    end
    if operation == "fill" then
      local flat = column:totable()
      for i = 1, #flat do flat[i] = number end
      column:fill(flat)
    elseif operation == "scale" then
      column:scale(number)
    else
      column:add_scaled(column, number)
    end
    for _, change in ipairs(changes) do change[1][name] = change[2] end
    run.equal(run:manager("field", m):count(), column:count(), "items of a column")
  end,
}

actions.read_column = { weight = 1,
  make = function(gen)
    local w, m, n, i = any_component(gen)
    return w, m, n, i, gen.random(20)
  end,
  play = function(run, w, m, n, i, number)
    local component, manager, target = run:component(w, m, n, i)
    local all = {}
    for _, field in ipairs(real_fields(run, w, m)) do
      if fields.is_numeric(field) and field[2] ~= "entity" then all[#all + 1] = field end
    end
    need(#all > 0)
    local field = all[number % #all + 1]
    local column, row = manager:column(field[1]), manager:row(target)
    same(component[field[1]], one(column:get(row)), "an item of a column")
    local flat, width = column:totable(), fields.width(field)
    for lane = 1, width do
      local value = component[field[1]]
      same(type(value) == "table" and value[lane] or value, flat[row * width + lane], "an item of all of a column")
    end
  end,
}

-- ---------------------------------------------------------------- entities

actions.ids = { weight = 0.5,
  make = function(gen) return gen:living() end,
  play = function(run, n)
    local e, entities = run:entity(n), run.host.entities
    local id = cuttle.entity_id(e)
    run.equal(e, cuttle.entity_from_id(id), "an entity of its id")
    run.equal(id, cuttle.entity_index(e) + 2 ^ 22 * cuttle.entity_generation(e), "index and generation")
    run.equal(true, cuttle.is_entity(e), "is_entity")
    run.equal(cuttle.ENTITY_TAG, cuttle.tag(e), "the tag of an entity")
    run.equal(true, entities:alive_id(id), "alive_id")
    local alive, count = {}, 0
    for name in pairs(run.state.alive) do alive[run.state.ids[name]] = true end
    for other in entities:each() do
      run.equal(true, alive[other], "an entity of each is alive")
      count = count + 1
    end
    run.equal(run.state:count(), count, "each")
    run.equal(true, entities:memory() > 0, "memory of entities")
  end,
}

actions.lists = { weight = 0.5,
  make = function(gen) return gen:several(6) end,
  play = function(run, names)
    local items, list = run:entities_of(names), cuttle.list()
    for _, e in ipairs(items) do list:add(e) end
    run.equal(#items, list:count(), "entities of a list")
    for i = 1, math.floor(#items / 2) do
      local j = #items + 1 - i
      local a, b = list:get(i), list:get(j)
      list:set(i, b)
      list:set(j, a)
    end
    local i = 0
    for e in list:each() do
      i = i + 1
      run.equal(items[#items + 1 - i], e, "an entity of a list")
    end
    list:clear()
    run.equal(0, list:count(), "entities of a list that was cleared")
  end,
}

-- A dead entity has no components, and is refused as an argument. Its id may have been reused.
actions.dead = { weight = 1,
  make = function(gen)
    local w, dead = gen:world(), {}
    for n in pairs(gen.run.state.ids) do
      if not gen.run.state.alive[n] then dead[#dead + 1] = n end
    end
    table.sort(dead)
    return w, gen:kind(w), dead[gen.random(math.max(#dead, 1))]
  end,
  play = function(run, w, m, n)
    need(not run.state.alive[n])
    local e, entities, manager = need(run.state.ids[n]), run.host.entities, run:manager(w, m)
    for name in pairs(run.state.alive) do need(run.state.ids[name] ~= e) end
    run.equal(false, entities:alive(e), "alive of a dead entity")
    run.equal(false, entities:alive_id(cuttle.entity_id(e)), "alive_id of a dead entity")
    run.equal(false, entities:destroy(e), "destroy of a dead entity")
    run.equal(false, manager:has(e), "has of a dead entity")
    run.equal(nil, manager:lookup(e), "lookup of a dead entity")
    run.equal(false, manager:lookup_many({ e })[1], "lookup_many of a dead entity")
    run.equal(nil, manager:row_of_id(cuttle.entity_id(e)), "row_of_id of a dead entity")
    run.equal(0, manager:destroy(e), "destroy of a dead entity's components")
    run.equal(false, (pcall(manager.create, manager, e, {})), "create for a dead entity")
    for _, method in ipairs { "get", "set" } do
      local ok, message = pcall(manager[method], manager, e, {})
      run.equal(true, not ok and message:find("is dead", 1, true) ~= nil, method .. " of a dead entity is refused")
    end
  end,
}

-- ---------------------------------------------------------------- worlds

local function names_of(components)
  local names = {}
  for _, m in ipairs(components) do names[m] = true end
  return names
end

actions.look = { weight = 0.5,
  make = function(gen) return gen:world(), gen:living() end,
  play = function(run, w, n)
    local world, e, names = run:world(w), run:entity(n), {}
    local expected = names_of(scenery.WORLDS[w])
    for name, manager in world:managers() do
      if expected[name] then
        run.equal(name, manager:name(), "the name of a manager")
        run.equal(#real_fields(run, w, name) > 0 or name == "transform", #manager:fields() > 0, "fields of " .. name)
        run.equal(true, manager:memory() >= 0, "memory of a manager")
        names[name] = true
      end
    end
    same(expected, names, "managers")
    local inspected = world:inspect(e)
    for _, m in ipairs(scenery.WORLDS[w]) do
      run.equal(run.state:list(w, m, n) ~= nil, inspected[m] ~= nil, "inspect lists " .. m)
    end
    run.equal(true, world:memory() > 0, "memory of a world")
    run.equal(true, world:dump():find("transform", 1, true) ~= nil, "dump lists transforms")
    local listed_levels = {}
    for _, level in ipairs(world:levels()) do listed_levels[level] = true end
    for name, entry in pairs(w == "field" and run.state.levels or {}) do
      local living = false
      for _, other in ipairs(entry.names) do living = living or run.state.alive[other] end
      run.equal(living or nil, listed_levels[run.host.levels[name]], "levels")
    end
  end,
}

-- Profiling changes no results.
actions.profile = { weight = 0.3,
  make = function(gen) return gen:world(), gen.random(2) == 1 end,
  play = function(run, w, on)
    run:world(w):profile(on)
    run.equal("table", type(run:world(w):timings()), "timings")
  end,
}

-- Queries with a first manager and others, each plain, with "!" or with "?".
actions.query = { weight = 1,
  make = function(gen)
    local w = gen:world()
    local query, used = { gen:kind(w) }, {}
    used[query[1]] = true
    for _ = 2, gen.random(8) do
      local m = gen:kind(w)
      if not used[m] then query[#query + 1] = ({ "", "!", "?" })[gen.random(3)] .. m end
      used[m] = true
    end
    return w, query
  end,
  play = function(run, w, query)
    need(query[1] and not query[1]:find "^[!?]")
    local expected, worlds = {}, run.state.worlds
    for n in pairs(run.state.alive) do
      local has = true
      for _, name in ipairs(query) do
        local sign, m = name:match "^([!?]?)(.*)$"
        local list = worlds[w][m].of[n]
        if sign == "" and not list or sign == "!" and list then has = false end
      end
      if has then expected[run.state.ids[n]] = #worlds[w][query[1]].of[n] end
    end
    local plain, count = {}, 0
    for _, name in ipairs(query) do
      if not name:find "^!" then plain[#plain + 1] = name:gsub("^%?", "") end
    end
    local function visit(e, ...)
      expected[e] = (expected[e] or 0) - 1
      count = count + 1
      for i = 2, #plain do
        run.equal(run:manager(w, plain[i]):lookup(e), (select(i, ...)), "an instance of a join")
      end
    end
    local function all(next_one, state, control)
      local function step(e, ...)
        if e == nil then return false end
        visit(e, ...)
        return e
      end
      repeat control = step(next_one(state, control)) until not control
    end
    all(run:world(w):join(unpack(query)))
    for e, left in pairs(expected) do run.equal(0, left, "join, missing " .. cuttle.entity_tostring(e)) end
    for _ in run:world(w):rows(unpack(query)) do count = count - 1 end
    run.equal(0, count, "rows against join")
  end,
}

-- ---------------------------------------------------------------- names and levels

actions.names = { weight = 0.5,
  make = function(gen) return gen:world(), gen:living(), ({ "a", "b", "name1", "e1" })[gen.random(4)] end,
  play = function(run, w, n, text)
    local manager, e, of = run:manager(w, "debug_name"), run:entity(n), run.state.worlds[w].debug_name.of
    manager:set_debug_name(e, text)
    if of[n] then of[n][1].name = text else run.state:add(w, "debug_name", n, { name = text }) end
    run.equal(text, manager:debug_name(e), "debug_name")
    local named, found = {}, manager:find_all(text)
    for other, list in pairs(of) do
      if list[1].name == text then named[run.state.ids[other]] = true end
    end
    run.equal(true, named[manager:find(text)], "find returns an entity of another name")
    for _, other in ipairs(type(found) == "table" and found or found:totable()) do
      run.equal(true, named[other], "find_all returns an entity of another name")
      named[other] = nil
    end
    run.equal(nil, next(named), "find_all omits an entity")
  end,
}

actions.read_level = { weight = 1,
  make = function(gen) return gen:level() end,
  play = function(run, name)
    local entry, level = need(run.state.levels[name]), need(run.host.levels[name])
    need(#entry.names > 0 and not entry.unsure and run.state.alive[entry.names[1]])
    local per, all = #levels.flat(entry.k, entry.v), level:entities()
    run.equal(run.state.ids[entry.names[1]], level:find "e1", "find")
    run.equal(nil, level:find "missing", "find of a missing name")
    same(all, level:list():totable(), "list against entities")
    local is_of = {}
    for _, e in ipairs(all) do is_of[e] = true end
    for _, e in ipairs(level:roots()) do run.equal(true, is_of[e], "a root is of the level") end
    for copy = 1, spawned.copies(entry.options) do
      local first, count = level:copy_range(copy)
      run.equal((copy - 1) * per + 1, first, "the first of a copy")
      run.equal(per, count, "entities of a copy")
    end
    run.equal(nil, next(level:skipped()), "skipped components")
  end,
}

return actions
