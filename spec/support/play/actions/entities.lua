-- Entities come and go, one, several, with components or without, and worlds are emptied.

local cuttle = require "cuttle"

local actions = {}

actions.create = { weight = 2,
  make = function(gen)
    local count = gen.random(3)
    return gen:fresh(count), count
  end,
  play = function(run, base, count)
    run:born(base, count == 1 and { run.host.entities:create() } or run.host.entities:create(count))
  end,
}

actions.create_list = { weight = 1, make = actions.create.make,
  play = function(run, base, count) run:born(base, run.host.entities:create_list(count):totable()) end,
}

actions.destroy = { weight = 4,
  make = function(gen) return gen:living() end,
  play = function(run, n)
    local e = run:live(n)
    run.equal(true, run.host.entities:destroy(e), "destroy")
    run.equal(false, run.host.entities:destroy(e), "destroy of the dead")
    run:kill(n)
  end,
}

actions.destroy_many = { weight = 2,
  make = function(gen) return gen:several(6), gen.random(2) == 1 end,
  play = function(run, names, listed)
    local list = run:lives(names)
    run.equal(#list, run.host.entities:destroy(listed and cuttle.list(list) or list), "destroy")
    for _, n in ipairs(names) do run:kill(n) end
  end,
}

-- How components are made: at once, several times, through a template.
local function make_all(world, components, count, way)
  if way == "template" then return world:template(components):create(count) end
  if way == "list" then return world:create(components, count, cuttle.list()):totable() end
  return count == 1 and way == "one" and { world:create(components) } or world:create(components, count)
end

local WAYS = { "one", "one", "many", "list", "template" }

actions.make = { weight = 12,
  make = function(gen)
    local w, count = gen:world(), gen.random(4) == 1 and gen.random(4) or 1
    return w, gen:fresh(count), count, gen:components(w), WAYS[gen.random(#WAYS)]
  end,
  play = function(run, w, base, count, components, way)
    if components.transform then run:check_parent(w, components.transform) end
    local given = run:components(components)
    run:born(base, make_all(run:world(w), given, count, way))
    run:furnish(w, base, count, components)
  end,
}

actions.note = { weight = 1,
  make = function(gen) return gen:world(), gen:living(), gen.random(100) end,
  play = function(run, w, n, value)
    local e = run:live(n)
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
