-- Actions that take and restore snapshots, in their entity manager and in another.

local cuttle = require "cuttle"
local growth = require "spec.support.play.growth"
local levels = require "spec.support.play.levels"
local poses = require "spec.support.play.poses"
local resources = require "spec.support.play.resources"
local scenery = require "spec.support.play.scenery"

local actions = {}

-- The number of snapshots and of saves that are kept.
local SLOTS = 3

local function any_alive(state, names)
  for _, n in ipairs(names) do
    if state.alive[n] then return true end
  end
  return false
end

-- Levels that did not exist at the snapshot are empty, and levels of another manager are not restored. If a level had
-- no living entities at the snapshot, its resource may be that of the snapshot or the current one.
local function restore_levels(run, taken)
  local host, found = run.host, {}
  for name, known in pairs(host.known_levels) do
    local entry, before = {}, taken.host == host and taken.state.levels[name]
    -- Levels of a world that was destroyed since are not restored.
    if before and not pcall(before.level.count, before.level) then before = nil end
    if before then host.levels[name] = before.level end
    for key, value in pairs(before or known) do entry[key] = value end
    if not before then
      entry.names = {}
    elseif not any_alive(taken.state, before.names) then
      entry.unsure = known.unsure or before.v ~= known.v or nil
    end
    found[name], host.known_levels[name] = entry, entry
  end
  return found
end

-- The names in worlds that still exist.
local function restore_own(own, known)
  local out = {}
  for w, names in pairs(own) do
    out[w] = {}
    for _, n in ipairs(known and names or {}) do
      if known[w][n] then table.insert(out[w], n) end
    end
  end
  return out
end

-- Removes the notes of entities that are dead after a restore.
local function restore_notes(run)
  local alive = {}
  for n in pairs(run.state.alive) do alive[run.state.ids[n]] = true end
  for _, noted in pairs(run.host.noted) do
    for e in pairs(noted) do
      if not alive[e] then noted[e] = nil end
    end
  end
end

local function restore(run, taken, restore_host)
  local host = run.host
  host.events = {}
  restore_host()
  run.equal(0, #host.events, "hook events of a restore")
  run.state = taken.state:copy()
  run.state.levels = restore_levels(run, taken)
  run.state.own = restore_own(run.state.own, taken.host == host and host.own or nil)
  restore_notes(run)
  if taken.hash then run.equal(taken.hash, host.entities:hash(), "the hash after a restore") end
end

-- Snapshots, saves and hashes of later actions contain the state of the generator.
actions.draw = { weight = 0.5,
  make = function(gen) return gen:world(), gen.random(1000) end,
  play = function(run, w, seed)
    local world, other = run:world(w), cuttle.world(cuttle.entity_manager(), { seed = seed })
    world:randomseed(seed)
    for _ = 1, 3 do run.equal(other:random(seed), world:random(seed), "a random number") end
    run.equal(other:random(), world:random(), "a random number")
  end,
}

actions.snapshot = { weight = 3,
  make = function(gen) return gen.random(SLOTS) end,
  play = function(run, slot)
    local old, entities = run.taken[slot], run.host.entities
    local hash = entities:hash()
    local snapshot = entities:snapshot(old and old.snapshot)
    run.equal(true, snapshot:bytes() > 0, "bytes of a snapshot")
    run.taken[slot] = { snapshot = snapshot, state = run.state:copy(), hash = hash, host = run.host }
    run.equal(hash, entities:hash(), "the hash after a snapshot")
  end,
}

local function restore_snapshot(run, slot)
  local taken = run.taken[slot]
  if not growth.matches(taken.state, run.host) then
    local ok, message = pcall(run.host.entities.restore, run.host.entities, taken.snapshot)
    run.equal(true, not ok and tostring(message):find("mood", 1, true) ~= nil, "other fields are refused")
    return
  end
  restore(run, taken, function() run.equal(true, run.host.entities:restore(taken.snapshot), "restore") end)
end

local function any_slot(of)
  return function(gen)
    local slots = {}
    for slot = 1, SLOTS do slots[#slots + 1] = gen.run[of][slot] and slot end
    return slots[gen.random(math.max(#slots, 1))]
  end
end

actions.restore = { weight = 2,
  make = any_slot "taken",
  play = function(run, slot)
    run.need(run.taken[slot])
    restore_snapshot(run, slot)
  end,
}

-- Continues the run in the other manager.
actions.move = { weight = 0.7,
  make = actions.restore.make,
  play = function(run, slot)
    run.need(run.taken[slot])
    run.need(growth.matches(run.taken[slot].state, run.other))
    run.host, run.other = run.other, run.host
    restore_snapshot(run, slot)
  end,
}

-- ---------------------------------------------------------------- rollback

-- Simulates a frame: an input creates an entity, or moves or destroys the one that it names by its place. Values that
-- scripts attach to a destroyed entity are lost.
local function simulate(run, inputs, destroyed)
  local world = run:world "field"
  for player = 1, 2 do
    local input = inputs[player]
    if input == "create" then world:create { transform = { position = { player, 0, 0 } }, tag = {} } end
    local living = {}
    for e in run.host.entities:each() do living[#living + 1] = e end
    local e = #living > 0 and type(input) == "number" and living[(input - 1) % #living + 1]
    if e and input > 20 then
      run.host.entities:destroy(e)
      destroyed[e] = true
    elseif e and world.transform:has(e) then
      world.transform:set_local_position(e, input, player, 0)
    end
  end
end

-- Guesses inputs of another player, which arrive later. The state is that of a simulation with the right inputs. Then
-- everything is undone.
actions.rollback = { weight = 0.7,
  make = function(gen)
    local inputs = { {}, {} }
    for player = 1, 2 do
      for frame = 1, 4 do inputs[player][frame] = gen.random(4) == 1 and "create" or gen.random(24) end
    end
    return inputs[1], inputs[2], gen.random(4)
  end,
  play = function(run, mine, theirs, late)
    local entities = run.host.entities
    run.need(entities:count() > 0 and #mine == 4 and #theirs == 4)
    local taken = { snapshot = entities:snapshot(), state = run.state:copy(), hash = entities:hash(), host = run.host }
    local destroyed = {}
    local function undo()
      restore(run, taken, function() entities:restore(taken.snapshot) end)
      for _, noted in pairs(run.host.noted) do
        for e in pairs(destroyed) do noted[e] = nil end
      end
    end
    for frame = 1, 4 do simulate(run, { mine[frame], theirs[frame] }, destroyed) end
    local hash = entities:hash()
    undo()
    local game = cuttle.rollback(entities, { delay = 0, step = function(_, inputs)
      simulate(run, inputs, destroyed)
    end })
    for frame = 1, 4 do
      run.equal(frame, (game:advance(mine[frame])), "the frame that was simulated")
      if frame > late then game:input(2, frame - late, theirs[frame - late]) end
    end
    for frame = 4 - late + 1, 4 do game:input(2, frame, theirs[frame]) end
    local confirmed, found = game:confirmed()
    run.equal(4, confirmed, "the confirmed frame")
    run.equal(hash, found, "the hash of the confirmed frame")
    run.equal(4, game:stats().frame, "the newest frame")
    undo()
  end,
}

-- The other manager had the same states as this one, or others.
actions.diff = { weight = 0.4,
  make = function() return true end,
  play = function(run)
    local entities, other = run.host.entities, run.other.entities
    run.equal(entities:hash() == other:hash(), cuttle.diff(entities, other) == nil, "diff")
    run.equal(nil, cuttle.diff(entities, entities), "diff of one manager")
  end,
}

-- ---------------------------------------------------------------- saves

-- A snapshot as a string, and its expected state: world poses are computed from local ones.
actions.save = { weight = 2,
  make = actions.restore.make,
  play = function(run, slot)
    local taken = run.need(run.taken[slot])
    run.need(growth.matches(taken.state, taken.host))
    local text, state = taken.snapshot:tostring(), taken.state:copy()
    local save = assert(cuttle.snapshot(text))
    run.equal(text, save:tostring(), "a save of a save")
    for _, world in pairs(state.worlds) do
      poses.evaluate(world)
      poses.propagate(world)
    end
    run.saves[slot] = { text = text, state = state, hash = taken.hash }
  end,
}

-- The resources of all levels of a state that the host can compile, by name, and the entries of the levels without.
local function resources_of(state, host)
  local found, missing = {}, {}
  for _, entry in pairs(state.levels) do
    local resource = resources.find(host, entry.k, entry.v)
    if resource then found[entry.k .. "." .. entry.v] = resource else missing[entry] = true end
  end
  return found, missing
end

local function is_of(level, entry, ids)
  if level:count() ~= #entry.names then return false end
  for i, n in ipairs(entry.names) do
    if n and n ~= levels.RELEASED and ids[n] ~= level:entity(i) then return false end
  end
  return true
end

-- Finds the level of each entry that has a living entity, and gives it to the run.
local function load_levels(run, before, missing)
  local found, host = run.host.worlds.field:levels(), run.host
  for name, entry in pairs(before.levels) do
    if any_alive(before, entry.names) then
      local i = 1
      while found[i] and not is_of(found[i], entry, before.ids) do i = i + 1 end
      run.equal(true, found[i] ~= nil, "the save has level " .. name)
      local now = { k = entry.k, v = entry.v, names = entry.names, options = entry.options, unsure = entry.unsure,
        missing = missing[entry], level = table.remove(found, i) }
      run.state.levels[name], host.known_levels[name], host.levels[name] = now, now, now.level
      if now.missing then
        local hash = host.entities:hash()
        run.equal(nil, (now.level:restart()), "the restart of a level without its resource")
        run.equal(hash, host.entities:hash(), "the hash after it")
      end
    end
  end
  -- Levels that the run does not keep.
  local own = any_alive(before, before.own.field or {})
  run.equal(true, own or #found == 0, "further levels in the save")
  for w, names in pairs(before.own) do
    run.state.own[w] = {}
    for _, n in ipairs(names) do
      table.insert(run.state.own[w], n)
      host.own[w][n] = true
    end
  end
end

local function load(run, slot)
  local save, host = run.saves[slot], run.host
  local notes = growth.check_load(save.state, host)
  if not notes then
    run.equal(nil, (host.entities:restore(assert(cuttle.snapshot(save.text)))), "a save of fields of other types")
    return
  end
  local given, missing = resources_of(save.state, host)
  restore(run, { state = growth.load(save.state, host), hash = notes == 0 and save.hash or nil }, function()
    local done, dropped = host.entities:restore(assert(cuttle.snapshot(save.text)), { resources = given })
    run.equal(true, done, "restore")
    run.equal(notes, #dropped, "notes about added and removed fields")
  end)
  load_levels(run, save.state, missing)
end

actions.load = { weight = 1,
  make = any_slot "saves",
  play = function(run, slot)
    run.need(run.saves[slot])
    load(run, slot)
  end,
}

actions.load_elsewhere = { weight = 0.5,
  make = any_slot "saves",
  play = function(run, slot)
    run.need(run.saves[slot])
    run.need(growth.check_load(run.saves[slot].state, run.other))
    run.host, run.other = run.other, run.host
    load(run, slot)
  end,
}

-- ---------------------------------------------------------------- the recorder of a host

-- A frame has a snapshot if it is `every` frames after the last one with a snapshot.
actions.frame = { weight = 3,
  make = function() return true end,
  play = function(run)
    local host, recorder = run.host, run.host.recorder
    recorder:frame()
    host.frame = host.frame + 1
    local last = host.frames[#host.frames]
    if not last or host.frame - last.number >= scenery.RECORDER.every then
      local taken = { number = host.frame, state = run.state:copy(), hash = host.entities:hash(), host = host }
      table.insert(host.frames, taken)
      if #host.frames > scenery.RECORDER.keep then table.remove(host.frames, 1) end
    end
    run.equal(#host.frames, recorder:count(), "snapshots of a recorder")
    run.equal(true, recorder:bytes() > 0, "bytes of a recorder")
  end,
}

actions.rewind = { weight = 1,
  make = function(gen) return gen.random(8) - 1 end,
  play = function(run, back)
    local host = run.host
    local wanted, last = host.frame - back, #host.frames
    while last > 1 and host.frames[last].number > wanted do last = last - 1 end
    local taken = run.need(host.frames[last])
    run.need(growth.matches(taken.state, host))
    while #host.frames > last do table.remove(host.frames) end
    restore(run, taken, function()
      run.equal(host.frame - taken.number, host.recorder:rewind(back), "rewound frames")
    end)
    host.frame = taken.number
    run.equal(#host.frames, host.recorder:count(), "snapshots of a recorder")
  end,
}

return actions
