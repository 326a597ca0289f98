-- What scripts register and keep: functions that are told, resources, templates, spawners; and ids that come round.

local cuttle = require "cuttle"
local need = require("spec.support.play.run").need
local scenery = require "spec.support.play.scenery"

local actions = {}

-- ---------------------------------------------------------------- functions that are told

local SLOTS = 4

-- A second function beside the one of the run, which is told the same as often (see scenery.count).
local function register(run, what, w, m, heard)
  if what == "destroy" then return run.host.entities:on_destroy(heard) end
  if what == "restore" then return run.host.entities:on_restore(heard) end
  local manager = run:manager(w, m)
  return manager["on_" .. what](manager, heard)
end

local function unregister(run, hook)
  if hook.what == "destroy" then return run.host.entities:off_destroy(hook.token) end
  if hook.what == "restore" then return run.host.entities:off_restore(hook.token) end
  local manager = run:manager(hook.w, hook.m)
  return manager["off_" .. hook.what](manager, hook.token)
end

local function subject(what, w, m)
  if what == "destroy" or what == "restore" then return what end
  return ("%s %s.%s"):format(what, w, m)
end

-- A function that was there is taken away; it has heard all until then.
actions.hook = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return gen.random(SLOTS), ({ "add", "remove", "destroy", "restore" })[gen.random(4)], w, gen:kind(w)
  end,
  play = function(run, slot, what, w, m)
    local host = run.host
    local old, counts = host.hooks[slot], host.counts
    -- Those of a world that has ended went with it.
    if old and (not old.world or old.world == host.worlds[old.w]) then
      run.equal(counts[old.subject] - old.from, old.heard, "what another function was told of " .. old.subject)
      run.equal(true, unregister(run, old), "whether a function was registered")
      run.equal(false, unregister(run, old), "whether a function was registered that is gone")
    end
    local name = subject(what, w, m)
    local hook = { what = what, w = w, m = m, subject = name, from = counts[name], heard = 0,
      world = name ~= what and host.worlds[w] or nil }
    hook.token = register(run, what, w, m, function() hook.heard = hook.heard + 1 end)
    host.hooks[slot] = hook
  end,
}

-- The same resources and callbacks again, as when a script is loaded again.
actions.describe = { weight = 0.3,
  make = function(gen) return gen:world() end,
  play = function(run, w)
    scenery.describe(run.host, w)
    run.equal("ball", run:manager(w, "mesh"):resource_data("ball")[1], "what a mesh resource is")
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

-- Whether all whom components name live. Ids of the dead may have come round again.
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

-- A template whose world has ended, whose component was defined again or that names the dead makes nothing.
actions.use_template = { weight = 2,
  make = function(gen)
    local count = gen.random(3)
    return gen.random(SLOTS), gen:fresh(count), count
  end,
  play = function(run, slot, base, count)
    local kept = need(run.host.templates[slot])
    local w, components, template = kept.w, kept.components, kept.template
    run:unused(base, count)
    if kept.world ~= run:world(w) or components.mood and kept.mood ~= run:manager(w, "mood") then
      run.equal(false, (pcall(template.create, template, count)), "a template of what has ended")
      return
    end
    if not all_live(run, w, components) then
      run.equal(false, (pcall(template.create, template, count)), "a template that names the dead")
      return
    end
    if components.transform then run:check_parent(w, components.transform) end
    run:born(base, template:create(count))
    run:furnish(w, base, count, components)
  end,
}

-- ---------------------------------------------------------------- spawners

-- Components that only scripts understand: "spikes" has a compiler and a spawner, "gizmo" a compiler alone.
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
    return gen:world(), gen:fresh(#numbers), numbers, gen.random(4) == 1
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
      "what a resource tells")
    local level = world:spawn(resource)
    if raises then
      run.equal(nil, level, "a level whose spawner raises")
      run.host.told = {}
      return hash
    end
    run.equal(1, level:skipped().gizmo, "what was skipped")
    run:born(base, level:entities())
    for i, number in ipairs(numbers) do
      run.equal(number, got[level:entity(i)], "what a spawner was given")
      run.state:add(w, "flag", base + i - 1, { on = true })
      table.insert(run.state.own[w], base + i - 1)
      run.host.own[w][base + i - 1] = true
    end
  end,
}

-- ---------------------------------------------------------------- ids

-- So often that generations come round, where few indices wait.
actions.spin = { weight = 0.1,
  make = function(gen) return gen.random(40), gen.random(2) == 1 and 260 or 3 end,
  play = function(run, count, times)
    local entities = run.host.entities
    for _ = 1, times do run.equal(count, entities:destroy(entities:create_list(count)), "destroy of a list") end
    run.equal(count * times, #run.host.told, "deaths that were told")
    run.host.told = {}
  end,
}

return actions
