-- Actions that add, change and remove components of every kind, through all methods of managers.

local cuttle = require "cuttle"
local fields = require "spec.support.play.fields"
local need = require("spec.support.play.run").need
local scenery = require "spec.support.play.scenery"

local actions = {}

-- ---------------------------------------------------------------- additions

-- Tests if a component with these values can be added.
local function check_new(run, w, m, n, values)
  local list = run.state:list(w, m, n) or {}
  if m == "transform" then run:check_parent(w, values) end
  if not scenery.COMPONENTS[m].multiple then return #list == 0 end
  for _, component in ipairs(list) do
    if component.id == values.id then return false end
  end
  return true
end

actions.add = { weight = 14,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w)
    return w, m, gen:living(), gen:values(w, m)
  end,
  play = function(run, w, m, n, values)
    local e, given, manager = run:entity(n), run:values(w, m, values), run:manager(w, m)
    if not check_new(run, w, m, n, values) then
      run.equal(false, (pcall(manager.create, manager, e, given)), "a second component")
      return
    end
    manager:create(e, given)
    run.state:add(w, m, n, values)
  end,
}

actions.add_many = { weight = 4,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w)
    if scenery.COMPONENTS[m].own_methods then return nil end
    local values = gen:values(w, m)
    values.id, values.parent, values.parent_node = nil, nil, nil
    return w, m, gen:several(5), values
  end,
  play = function(run, w, m, names, values)
    local list, given = run:entities_of(names), run:values(w, m, values)
    for _, n in ipairs(names) do need(check_new(run, w, m, n, values)) end
    run:repeat_values(w, m, given, #list)
    run:manager(w, m):create_many(list, given)
    for _, n in ipairs(names) do run.state:add(w, m, n, values) end
  end,
}

-- Adds a component through a buffer, removes all of its kind, destroys the entity, and skips what follows.
actions.buffer = { weight = 1,
  make = actions.add.make,
  play = function(run, w, m, n, values)
    local e, buffer = run:entity(n), run:world(w):buffer()
    need(check_new(run, w, m, n, values))
    buffer:add(e, m, run:values(w, m, values))
    buffer:call(run.state.add, run.state, w, m, n, values)
    buffer:remove(e, m)
    buffer:call(run.state.remove_all, run.state, w, m, n)
    run.equal(4, buffer:count(), "commands of a buffer")
    run.equal(4, buffer:flush(), "flush of a buffer")
    buffer:destroy(e)
    buffer:call(run.kill, run, n)
    buffer:remove(e, m)
    run.equal(2, buffer:flush(), "commands for a dead entity")
    buffer:add(e, m)
    buffer:clear()
    run.equal(0, buffer:count(), "commands of a buffer")
  end,
}

-- ---------------------------------------------------------------- changes

actions.set = { weight = 6,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w, "transform")
    if scenery.COMPONENTS[m].own_methods then return nil end
    local n, i = gen:owner(w, m)
    local values = gen:values(w, m)
    values.id = nil
    return w, m, n, i, values
  end,
  play = function(run, w, m, n, i, values)
    local component, manager, target = run:component(w, m, n, i)
    local given = run:values(w, m, values)
    manager:set(target, given)
    for _, field in ipairs(run:fields(w, m)) do
      local name = field[1]
      if given[name] ~= nil then run:put(w, m, n, component, name, values[name]) end
    end
  end,
}

local function one_field(gen, accepts)
  local w = gen:world()
  local m = gen:kind(w, "transform")
  local schema = gen.run:fields(w, m)
  local field = schema[gen.random(#schema)]
  if scenery.COMPONENTS[m].own_methods or not accepts(field, m) then return nil end
  local value = fields.random(field, gen.random, function() return gen:living() end)
  return w, m, field[1], value
end

local function field_of(run, w, m, name)
  for _, field in ipairs(run:fields(w, m)) do
    if field[1] == name then return field end
  end
  need(false)
end

-- A value in the form of write and column:set.
local function given_value(run, w, m, name, value)
  if field_of(run, w, m, name)[2] == "entity" then return value and run:entity(value) or nil end
  if field_of(run, w, m, name)[2] == "value" then return value or nil end
  if type(value) == "table" then return unpack(value) end
  return value
end

actions.write = { weight = 6,
  make = function(gen)
    local w, m, field, value = one_field(gen, function() return true end)
    local n, i = gen:owner(w, m)
    return w, m, n, i, field, value, gen.random(2) == 1
  end,
  play = function(run, w, m, n, i, field, value, setter)
    local component, manager, target = run:component(w, m, n, i)
    local method = manager["set_" .. field]
    if setter and method then
      method(manager, target, given_value(run, w, m, field, value))
    else
      manager:write(target, field, given_value(run, w, m, field, value))
    end
    run:put(w, m, n, component, field, value)
  end,
}

-- Writes every field with its setter.
actions.write_all = { weight = 1,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w, "transform")
    if scenery.COMPONENTS[m].own_methods then return nil end
    local n, i = gen:owner(w, m)
    local values = {}
    for _, field in ipairs(gen.run:fields(w, m)) do
      values[field[1]] = fields.random(field, gen.random, function() return gen:living() end)
    end
    return w, m, n, i, values
  end,
  play = function(run, w, m, n, i, values)
    local component, manager, target = run:component(w, m, n, i)
    for _, field in ipairs(run:fields(w, m)) do
      local name = field[1]
      local value, method = values[name], manager["set_" .. name]
      if value ~= nil and method then
        method(manager, target, given_value(run, w, m, name, value))
        run:put(w, m, n, component, name, value)
      end
    end
  end,
}

actions.write_many = { weight = 2,
  make = function(gen)
    local w, m, field, value = one_field(gen, function(_, kind) return kind ~= "model" end)
    return w, m, w and gen:owners(w, m, 5), field, value
  end,
  play = function(run, w, m, names, field, value)
    local list, targets = run:entities_of(names), {}
    for i, n in ipairs(names) do targets[i] = run:component(w, m, n, 1) end
    local given = value
    if field_of(run, w, m, field)[2] == "entity" then given = value and run:entity(value) or false end
    given = run:repeat_values(w, m, { [field] = given }, #list)[field]
    run.equal(#list, run:manager(w, m):write_many(list, field, given), "write_many")
    for _, component in ipairs(targets) do component[field] = value end
  end,
}

-- Numbers with one lane, whose sum the field holds exactly.
actions.sum_many = { weight = 1,
  make = function(gen)
    local w, m, field = one_field(gen, function(field) return field[2] == "float" or field[2] == "int32" end)
    return w, m, w and gen:owners(w, m, 5), field, gen.random(9) - 5
  end,
  play = function(run, w, m, names, field, value)
    local list, targets = run:entities_of(names), {}
    local manager = run:manager(w, m)
    for i, n in ipairs(names) do targets[i] = run:component(w, m, n, 1) end
    for _, component in ipairs(targets) do need(math.abs(component[field]) < 2 ^ 18) end
    run.equal(#list, manager:add_many(list, field, value), "add_many")
    for _, component in ipairs(targets) do component[field] = component[field] + value end
  end,
}

actions.column = { weight = 3,
  make = function(gen)
    local w, m, field, value = one_field(gen, fields.is_numeric)
    local n, i = gen:owner(w, m)
    return w, m, n, i, field, value
  end,
  play = function(run, w, m, n, i, field, value)
    local component, manager, target = run:component(w, m, n, i)
    local entity = field_of(run, w, m, field)[2] == "entity"
    local column, row = manager:column(field), manager:row(target)
    if entity and not value then
      column:set(row, cuttle.NOBODY)
    else
      column:set(row, given_value(run, w, m, field, value))
    end
    component[field] = value
  end,
}

-- Pairs of fields with the same width, for copy and add_scaled.
local PAIRS = { { "stats", "v3", "point_mass", "position" }, { "point_mass", "position", "point_mass", "velocity" },
  { "point_mass", "velocity", "stats", "v3" }, { "stats", "f", "point_mass", "mass" } }

actions.copy = { weight = 1,
  make = function(gen) return gen.random(#PAIRS), gen.random(3) == 1 and gen.random(3) - 2 or false end,
  play = function(run, pair, factor)
    local from, field, to, other = unpack(need(PAIRS[pair]))
    local world, state, count = run:world "field", run.state, 0
    local done
    if factor then
      done = world:add_scaled(from, field, to, other, factor)
    else
      done = world:copy(from, field, to, other)
    end
    for n, list in pairs(state.worlds.field[to].of) do
      local source = state:list("field", from, n)
      if source then
        local value, was, sum = source[1][field], list[1][other], {}
        for i = 1, type(value) == "table" and #value or 0 do sum[i] = was[i] + (factor or 0) * value[i] end
        if type(value) == "number" then sum = was + (factor or 0) * value end
        list[1][other] = factor and sum or fields.copy(value)
        count = count + 1
      end
    end
    run.equal(count, done, "copied rows")
  end,
}

actions.cell = { weight = 3,
  make = function(gen) return (gen:owner("field", "grid")), gen.random(4), gen.random(3) * 1000 end,
  play = function(run, n, number, value)
    local component, manager, e = run:component("field", "grid", n, 1)
    manager:set_cell(e, (number - 1) % 2, math.floor((number - 1) / 2), value)
    component["cell" .. number] = value * 8
  end,
}

actions.flip = { weight = 1,
  make = function(gen) return (gen:owner("field", "grid")), gen.random(4), gen.random(8) - 1 end,
  play = function(run, n, number, flips)
    local component, manager, e = run:component("field", "grid", n, 1)
    local x, y = (number - 1) % 2, math.floor((number - 1) / 2)
    manager:set_flips(e, x, y, flips % 2 == 1, flips % 4 >= 2, flips >= 4)
    component["cell" .. number] = scenery.cell(component, number) * 8 + flips
  end,
}

actions.fill_cells = { weight = 1,
  make = function(gen)
    return (gen:owner("field", "grid")), { gen.random(4) - 2, gen.random(4) - 2, gen.random(4) - 2, gen.random(4) - 2 },
      gen.random(3) - 1
  end,
  play = function(run, n, corners, value)
    local component, manager, e = run:component("field", "grid", n, 1)
    local x1, y1, x2, y2 = unpack(corners)
    local count = 0
    for i = 1, 4 do
      local x, y = (i - 1) % 2, math.floor((i - 1) / 2)
      if x >= math.min(x1, x2) and x <= math.max(x1, x2) and y >= math.min(y1, y2) and y <= math.max(y1, y2) then
        component["cell" .. i], count = value * 8, count + 1
      end
    end
    run.equal(count, manager:fill(e, x1, y1, x2, y2, value), "the cells of a block")
  end,
}

actions.body = { weight = 0.5,
  make = function(gen) return (gen:owner("field", "actor")) end,
  play = function(run, n)
    local _, manager, e = run:component("field", "actor", n, 1)
    local body = {}
    run.host.bodies[body] = e
    manager:set_body(e, body)
  end,
}

-- ---------------------------------------------------------------- removals

actions.remove = { weight = 5,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w)
    local n, i = gen:owner(w, m)
    return w, m, n, i
  end,
  play = function(run, w, m, n, i)
    local _, manager = run:component(w, m, n, i)
    local instance = manager:lookup(run:entity(n))
    for _ = 2, i do instance = manager:next(instance) end
    run.equal(1, manager:destroy(instance), "destroy")
    run.state:remove(w, m, n, i)
  end,
}

actions.remove_all = { weight = 2,
  make = function(gen)
    local w = gen:world()
    return w, gen:kind(w), gen:living()
  end,
  play = function(run, w, m, n)
    run.equal(run.state:remove_all(w, m, n), run:manager(w, m):destroy(run:entity(n)), "destroy")
  end,
}

actions.remove_many = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return w, gen:kind(w), gen:living(), gen:living(), gen.random(2) == 1
  end,
  play = function(run, w, m, first, second, listed)
    local list, removed = { run:entity(first), run:entity(second) }, run.state:remove_all(w, m, first)
    if second ~= first then removed = removed + run.state:remove_all(w, m, second) end
    run.equal(removed, run:manager(w, m):destroy_many(listed and cuttle.list(list) or list), "destroy_many")
  end,
}

return actions
