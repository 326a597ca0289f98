-- Actions that create and destroy entities, one or several, with or without components, and that clear worlds.

local cuttle = require "cuttle"
local scenery = require "spec.support.play.scenery"

local actions = {}

actions.create = { weight = 2,
  make = function(gen)
    local count = gen.random(3)
    return gen:new_names(count), count
  end,
  play = function(run, base, count)
    run:unused(base, count)
    run:created(base, count == 1 and { run.host.entities:create() } or run.host.entities:create(count))
  end,
}

actions.create_list = { weight = 1, make = actions.create.make,
  play = function(run, base, count)
    run:unused(base, count)
    run:created(base, run.host.entities:create_list(count):totable())
  end,
}

actions.destroy = { weight = 4,
  make = function(gen) return gen:living() end,
  play = function(run, n)
    local e = run:entity(n)
    run.equal(true, run.host.entities:destroy(e), "destroy")
    run.equal(false, run.host.entities:destroy(e), "destroy of a dead entity")
    run:kill(n)
  end,
}

actions.destroy_many = { weight = 2,
  make = function(gen) return gen:several(6), gen.random(2) == 1 end,
  play = function(run, names, listed)
    local list = run:entities_of(names)
    run.equal(#list, run.host.entities:destroy(listed and cuttle.list(list) or list), "destroy")
    for _, n in ipairs(names) do run:kill(n) end
  end,
}

-- Creates one entity from a template of some components, and the others as its changes.
local function make_changed(world, components)
  local own, changes = {}, {}
  for m, values in pairs(components) do
    if #m % 2 == 0 then own[m] = values end
    if #m % 2 == 1 or not scenery.COMPONENTS[m].multiple then changes[m] = values end
  end
  return world:template(own):create_with(changes)
end

-- Creates an entity through a buffer, and finds it.
local function make_later(world, components)
  local known, buffer = {}, world:buffer()
  for e in world.entities:each() do known[e] = true end
  buffer:create(components)
  buffer:flush()
  for e in world.entities:each() do
    if not known[e] then return e end
  end
end

-- Creates entities with components by one of several functions.
local function make_all(world, components, count, method)
  if count == 1 and method == "changed" then return { make_changed(world, components) } end
  if count == 1 and method == "buffer" then return { make_later(world, components) } end
  if method == "template" then return world:template(components):create(count) end
  if method == "list" then return world:create(components, count, cuttle.list()):totable() end
  return count == 1 and method == "one" and { world:create(components) } or world:create(components, count)
end

local WAYS = { "one", "one", "many", "list", "template", "changed", "buffer" }

actions.make = { weight = 12,
  make = function(gen)
    local w, count = gen:world(), gen.random(4) == 1 and gen.random(4) or 1
    return w, gen:new_names(count), count, gen:components(w), WAYS[gen.random(#WAYS)]
  end,
  play = function(run, w, base, count, components, method)
    run:unused(base, count)
    if components.transform then run:check_parent(w, components.transform) end
    run:created(base, make_all(run:world(w), run:components(w, components), count, method))
    run:furnish(w, base, count, components)
  end,
}

-- Components of types that an entity can have only once, because an undo may have used ids.
local function single_kinds(gen, w)
  local components = gen:components(w)
  for m in pairs(components) do
    if scenery.COMPONENTS[m].multiple then components[m] = nil end
  end
  return components
end

-- Creates entities with a hook that raises, so that only destroy events remain.
actions.make_and_fail = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return w, gen:new_names(3), gen.random(3), single_kinds(gen, w), gen.random(6)
  end,
  play = function(run, w, base, count, components, failing)
    if components.transform then run:check_parent(w, components.transform) end
    local host, kinds = run.host, 0
    for _ in pairs(components) do kinds = kinds + 1 end
    run.need(failing <= kinds * count)
    local given, before = run:components(w, components), host.entities:count()
    host.calls, host.raise_at = 0, failing
    local ok, message = pcall(run:world(w).create, run:world(w), given, count)
    host.raise_at = nil
    run.equal(false, ok, "a create whose hook raises")
    run.equal(scenery.RAISED, message, "the error of a hook")
    run.equal(before, host.entities:count(), "entities of a create whose hook raises")
    for _ = 1, failing do run:expect_event "add " end
    for _ = 1, failing do run:expect_event "remove " end
    for _ = 1, count do run:expect_event "destroy " end
    run.equal(0, #host.events, "further events")
    return base
  end,
}

-- Destroys a world, and creates another with its name.
actions.renew = { weight = 0.2,
  make = function(gen) return gen:world(), gen.random(2) == 1 end,
  play = function(run, w, entities)
    if w == "field" then
      for name, entry in pairs(run.state.levels) do
        for _, n in ipairs(entry.names) do run:kill(n) end
        run.host.levels[name], run.state.levels[name] = nil, nil
      end
      run.host.known_levels = {}
    end
    for _, n in ipairs(run.state.own[w]) do run:kill(n) end
    local before = run.state:living()
    run.state:clear(w, entities)
    run:world(w):destroy { entities = entities }
    for _, n in ipairs(before) do
      if not run.state.alive[n] then run:forget(n) end
    end
    scenery.open_world(run.host, w)
    run.state:renew(w)
  end,
}

actions.note = { weight = 1,
  make = function(gen) return gen:world(), gen:living(), gen.random(100) end,
  play = function(run, w, n, value)
    local e = run:entity(n)
    run.host.notes[w][e], run.host.noted[w][e] = value, value
  end,
}

actions.clear = { weight = 0.15,
  make = function(gen) return gen:world(), gen.random(2) == 1 end,
  play = function(run, w, entities)
    run:world(w):clear { entities = entities }
    local before = run.state:living()
    run.state:clear(w, entities)
    for _, n in ipairs(before) do
      if not run.state.alive[n] then run:forget(n) end
    end
    run.host.noted[w] = {}
  end,
}

return actions
