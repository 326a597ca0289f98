-- Actions with queries: fields of all matches, components and entities that are removed in one call.

local cuttle = require "cuttle"
local fields = require "spec.support.play.fields"
local need = require("spec.support.play.run").need
local scenery = require "spec.support.play.scenery"

local actions = {}

local MOST_DESTROYED = 3

-- The names of the living entities that have one kind of component and not another, as the model has them.
local function matching(run, w, m, without)
  local worlds, names, count = run.state.worlds[w], {}, 0
  for n in pairs(run.state.alive) do
    if worlds[m].of[n] and not (without and worlds[without].of[n]) then
      names[run.state.ids[n]] = n
      count = count + 1
    end
  end
  return names, count
end

-- A new query and the names of its entities, in its order.
local function open(run, w, m, without)
  need(m ~= without)
  local query = without and run:world(w):query(m, "!" .. without) or run:world(w):query(run:manager(w, m))
  local names, count = matching(run, w, m, without)
  local ordered = {}
  for _, e in ipairs(query:entities()) do ordered[#ordered + 1] = names[e] end
  run.equal(count, #ordered, "entities of a query")
  run.equal(count, query:list():count(), "list of a query")
  run.equal(count > 0, cuttle.is_entity(query:first()), "first of a query")
  return query, ordered
end

actions.query_write = { weight = 2,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w, "transform")
    local schema = gen.run:fields(w, m)
    local field = schema[gen.random(#schema)]
    if scenery.COMPONENTS[m].own_methods or m == "model" or field[2] == "value" then return nil end
    return w, m, field[1], fields.random(field, gen.random, function() return gen:living() end)
  end,
  play = function(run, w, m, field, value)
    local query, names = open(run, w, m)
    local path, known = m .. "." .. field
    for _, info in ipairs(run:fields(w, m)) do known = known or info[1] == field and info end
    need(known)
    local given = value
    if known[2] == "entity" then given = value and run:entity(value) or false end
    run.equal(query:count(), query:write(path, given), "write of a query")
    for _, n in ipairs(names) do
      for _, component in ipairs(run.state:list(w, m, n)) do component[field] = value end
    end
    local read, count = query:read(path)
    run.equal(query:count(), count, "read of a query")
    local lanes = count > 0 and #read / count or 0
    for i = 1, count do
      for lane = 1, lanes do
        local expected = given
        if type(given) == "table" then expected = given[lane] end
        run.equal(read[lane], read[(i - 1) * lanes + lane], "equal values of a query")
        if known[2] ~= "quat" and known[2] ~= "color" then
          run.equal(expected, read[(i - 1) * lanes + lane], "a value of a query")
        end
      end
    end
  end,
}

actions.query_items = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return w, gen:kind(w)
  end,
  play = function(run, w, m)
    local query, names = open(run, w, m)
    local manager, left = run:manager(w, m), query:count()
    for item in query:items() do
      run.equal(item.row, manager:row(manager:at(item.row)), "row of an item")
      run.equal(true, manager:has(item.entity), "entity of an item")
      left = left - 1
    end
    run.equal(0, left, "items of a query")
    local each = 0
    for _ in query:each() do each = each + 1 end
    for _ in query:rows() do each = each - 1 end
    run.equal(0, each, "rows of a query")
    run.equal(true, #names <= query:count(), "matches of a query")
  end,
}

-- Types of fields that formulas assign a parameter to.
local SIMPLE = { float = true, double = true, int8 = true, uint8 = true, int16 = true, uint16 = true, int32 = true,
  uint32 = true, bool = true, entity = true, enum = true, vec2 = true, vec3 = true, vec4 = true, dvec2 = true,
    dvec3 = true }

actions.query_formula = { weight = 2,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w, "transform")
    local schema = gen.run:fields(w, m)
    local field = schema[gen.random(#schema)]
    if scenery.COMPONENTS[m].own_methods or m == "model" or not SIMPLE[field[2]] then return nil end
    return w, m, field[1], fields.random(field, gen.random, function() return gen:living() end)
  end,
  play = function(run, w, m, field, value)
    local query, names = open(run, w, m)
    local path, known = m .. "." .. field
    for _, info in ipairs(run:fields(w, m)) do known = known or info[1] == field and info end
    need(known)
    local right, given = "given", value
    if known[2] == "entity" then given = value and run:entity(value) or nil end
    if known[2] == "enum" then right, given = '"' .. value .. '"', nil end
    if known[2] == "entity" and not value then right = "nobody" end
    local parameters, text = { given = given }, path .. " = " .. right
    local count = query:count()
    local formula = query:formula(text, parameters)
    run.equal(count, formula(), "matches of a formula")
    run.equal(#names, formula(query:list()) > 0 and #names or 0, "matches of a formula in a list")
    run.equal(count, run:world(w):formula(text, parameters)(), "matches of a formula over a world")
    run.equal(path, formula:describe().writes[1], "fields of a formula")
    for _, n in ipairs(names) do
      for _, component in ipairs(run.state:list(w, m, n)) do component[field] = value end
    end
    local lane = type(value) == "table" and ".x" or ""
    local equal = query:where(path .. lane .. " == " .. right .. lane, parameters)
    if given ~= nil then equal:set("given", given) end
    run.equal(count, equal:count(), "matches of a condition")
    run.equal(0, equal:where("1 > 2"):count(), "matches of a condition that is false")
    run.equal(count, equal:sum "1", "sum of a query")
    run.equal(count > 0 and 2 or nil, equal:min "2", "min of a query")
    run.equal(count > 0 and 2 or nil, equal:max "2", "max of a query")
    run.equal(query:first(), (equal:lowest "2"), "lowest of a query")
    run.equal(query:first(), (equal:highest "2"), "highest of a query")
    run.equal(#names, equal:sorted("2"):count(), "sorted list of a query")
  end,
}

actions.query_remove = { weight = 0.5,
  make = function(gen)
    local w = gen:world()
    return w, gen:kind(w), gen:kind(w)
  end,
  play = function(run, w, m, other)
    local query, names = open(run, w, m)
    local removed = 0
    need(#names <= 2 * MOST_DESTROYED)
    local done = query:remove(other)
    for _, n in ipairs(names) do removed = removed + run.state:remove_all(w, other, n) end
    run.equal(removed, done, "remove of a query")
  end,
}

actions.query_create = { weight = 1,
  make = function(gen)
    local w = gen:world()
    local m = gen:kind(w, "transform")
    if scenery.COMPONENTS[m].own_methods then return nil end
    local values = gen:values(w, m)
    values.id, values.parent, values.parent_node = nil, nil, nil
    return w, gen:kind(w), m, values
  end,
  play = function(run, w, m, other, values)
    local query, names = open(run, w, m, other)
    local given = run:values(w, other, values)
    run:repeat_values(w, other, given, #names)
    run.equal(#names, query:create(other, given), "create of a query")
    for _, n in ipairs(names) do run.state:add(w, other, n, values) end
  end,
}

actions.query_destroy = { weight = 0.3,
  make = function(gen)
    local w = gen:world()
    return w, gen:kind(w), gen:kind(w)
  end,
  play = function(run, w, m, without)
    local query, names = open(run, w, m, without)
    need(#names <= MOST_DESTROYED)
    run.equal(#names, query:destroy(), "destroy of a query")
    for _, n in ipairs(names) do run:kill(n) end
  end,
}

return actions
