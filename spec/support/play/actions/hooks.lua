-- Actions on callbacks, resources, templates and spawners, and actions that reuse ids.

local cuttle = require "cuttle"
local need = require("spec.support.play.run").need
local scenery = require "spec.support.play.scenery"

local actions = {}

-- ---------------------------------------------------------------- callbacks

local SLOTS = 4

-- Registers a second callback, which receives the same events as that of the run (see scenery.count).
local function register(run, kind, w, m, calls)
  if kind == "destroy" then return run.host.entities:on_destroy(calls) end
  if kind == "restore" then return run.host.entities:on_restore(calls) end
  local manager = run:manager(w, m)
  return manager["on_" .. kind](manager, calls)
end

local function unregister(run, hook)
  if hook.kind == "destroy" then return run.host.entities:off_destroy(hook.token) end
  if hook.kind == "restore" then return run.host.entities:off_restore(hook.token) end
  local manager = run:manager(hook.w, hook.m)
  return manager["off_" .. hook.kind](manager, hook.token)
end

local function subject(kind, w, m)
  if kind == "destroy" or kind == "restore" then return kind end
  return ("%s %s.%s"):format(kind, w, m)
end

-- Replaces a callback, which must have received all events until now.
actions.hook = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return gen.random(SLOTS), ({ "add", "remove", "destroy", "restore" })[gen.random(4)], w, gen:kind(w)
  end,
  play = function(run, slot, kind, w, m)
    local host = run.host
    local old, counts = host.hooks[slot], host.counts
    -- Callbacks of a destroyed world were removed with it.
    if old and (not old.world or old.world == host.worlds[old.w]) then
      run.equal(counts[old.subject] - old.from, old.calls, "events of another callback for " .. old.subject)
      run.equal(true, unregister(run, old), "an unregistered callback")
      run.equal(false, unregister(run, old), "a callback that was unregistered before")
    end
    local name = subject(kind, w, m)
    local hook = { kind = kind, w = w, m = m, subject = name, from = counts[name], calls = 0,
      world = name ~= kind and host.worlds[w] or nil }
    hook.token = register(run, kind, w, m, function() hook.calls = hook.calls + 1 end)
    host.hooks[slot] = hook
  end,
}

-- Defines the same resources and callbacks again, like a script that is loaded again.
actions.describe = { weight = 0.3,
  make = function(gen) return gen:world() end,
  play = function(run, w)
    scenery.describe(run.host, w)
    run.equal("ball", run:manager(w, "mesh"):resource_data("ball")[1], "the data of a mesh resource")
    run.equal(run.host.notes[w], run:world(w):attach "notes", "an attached table")
  end,
}

-- ---------------------------------------------------------------- templates

actions.keep_template = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return gen.random(SLOTS), w, gen:components(w)
  end,
  play = function(run, slot, w, components)
    if components.transform then run:check_parent(w, components.transform) end
    run.host.templates[slot] = { template = run:world(w):template(run:components(w, components)), w = w,
      components = components, world = run:world(w), mood = run:manager(w, "mood") }
  end,
}

-- Tests if all referenced entities are alive. The ids of dead ones may have been reused.
local function all_live(run, w, components)
  local living = true
  for m, values in pairs(components) do
    local fields = m == "transform" and { { "parent", "entity" } } or run:fields(w, m)
    for _, item in ipairs(values[1] and scenery.COMPONENTS[m].multiple and values or { values }) do
      for _, field in ipairs(fields) do
        local n = field[2] == "entity" and item[field[1]]
        if n then
          need(run.state.ids[n] and (run.state.alive[n] or not run.host.entities:alive(run.state.ids[n])))
          living = living and run.state.alive[n]
        end
      end
    end
  end
  return living
end

-- A template creates nothing if its world was destroyed, its component was redefined, or it refers to a dead entity.
actions.use_template = { weight = 2,
  make = function(gen)
    local count = gen.random(3)
    return gen.random(SLOTS), gen:new_names(count), count
  end,
  play = function(run, slot, base, count)
    local kept = need(run.host.templates[slot])
    local w, components, template = kept.w, kept.components, kept.template
    run:unused(base, count)
    if kept.world ~= run:world(w) or components.mood and kept.mood ~= run:manager(w, "mood") then
      run.equal(false, (pcall(template.create, template, count)), "a template of a destroyed world or component")
      return
    end
    if not all_live(run, w, components) then
      run.equal(false, (pcall(template.create, template, count)), "a template that refers to a dead entity")
      return
    end
    if components.transform then run:check_parent(w, components.transform) end
    run:created(base, template:create(count))
    run:furnish(w, base, count, components)
  end,
}

-- ---------------------------------------------------------------- spawners

-- Components of scripts: "spikes" has a compiler and a spawner, "gizmo" only a compiler.
local function compile_own(world, numbers)
  local compiler = cuttle.compiler(world)
  compiler:register("spikes", function(config, context) return context.writer():i32(config.n):tostring() end, 200)
  compiler:register("gizmo", function() return "" end)
  local source = {}
  for i, number in ipairs(numbers) do
    source[i] = { components = { spikes = { n = number }, gizmo = i == 1 and {} or nil, flag = { on = true } } }
  end
  return assert(cuttle.resource((assert(compiler:compile { entities = source }))))
end

actions.spawn_own = { weight = 0.7,
  make = function(gen)
    local numbers = {}
    for i = 1, gen.random(4) do numbers[i] = gen.random(2000) - 1000 end
    return gen:world(), gen:new_names(#numbers), numbers, gen.random(4) == 1
  end,
  play = function(run, w, base, numbers, raises)
    need(#numbers > 0)
    run:unused(base, #numbers)
    local world, got = run:world(w), {}
    world:register_spawner("spikes", function(list, count, index, data)
      for i = 1, count do got[list[index[i] + 1]] = cuttle.reader(data[i]):i32() end
      if raises then error(scenery.RAISED, 0) end
    end)
    local resource, hash = compile_own(world, numbers), run.host.entities:hash()
    run.equal(#numbers, resource:entity_count(), "entities of a resource")
    run.equal(true, #resource:component_types() == 3 and resource:bytes() > 0 and #resource:describe() > 0,
      "the contents of a resource")
    local level = world:spawn(resource)
    if raises then
      run.equal(nil, level, "a level whose spawner raises")
      run.host.events = {}
      return hash
    end
    run.equal(1, level:skipped().gizmo, "skipped components")
    run:created(base, level:entities())
    for i, number in ipairs(numbers) do
      run.equal(number, got[level:entity(i)], "the data of a spawner")
      run.state:add(w, "flag", base + i - 1, { on = true })
      table.insert(run.state.own[w], base + i - 1)
      run.host.own[w][base + i - 1] = true
    end
  end,
}

-- ---------------------------------------------------------------- ids

-- Reuses ids often enough for generations to wrap around if few indices must be free.
actions.spin = { weight = 0.1,
  make = function(gen) return gen.random(40), gen.random(2) == 1 and 260 or 3 end,
  play = function(run, count, times)
    local entities = run.host.entities
    for _ = 1, times do run.equal(count, entities:destroy(entities:create_list(count)), "destroy of a list") end
    run.equal(count * times, #run.host.events, "destroy events")
    run.host.events = {}
  end,
}

return actions
