-- Back in time: snapshots are taken and put back, in the manager they are of and in another.

local actions = {}

-- Levels that were not there then are empty; those of another manager stay behind.
local function restore_levels(run, taken)
  local host, found = run.host, {}
  for name, known in pairs(host.known_levels) do
    local entry = {}
    for key, value in pairs(taken.host == host and taken.state.levels[name] or known) do entry[key] = value end
    if not (taken.host == host and taken.state.levels[name]) then entry.count = 0 end
    found[name], host.known_levels[name] = entry, entry
  end
  return found
end

-- Entries of what is not alive afterwards go.
local function restore_notes(run)
  local alive = {}
  for n in pairs(run.state.alive) do alive[run.state.ids[n]] = true end
  for _, noted in pairs(run.host.noted) do
    for e in pairs(noted) do
      if not alive[e] then noted[e] = nil end
    end
  end
end

local function restore(run, taken)
  local host = run.host
  host.told = {}
  run.equal(true, (host.entities:restore(taken.snapshot)), "restore")
  run.equal(0, #host.told, "hooks that were told of a restore")
  run.state = taken.state:copy()
  run.state.levels = restore_levels(run, taken)
  restore_notes(run)
  run.equal(taken.hash, host.entities:hash(), "the hash after a restore")
end

actions.snapshot = { weight = 3,
  make = function(gen) return gen.random(4) end,
  play = function(run, slot)
    local old, entities = run.taken[slot], run.host.entities
    local hash = entities:hash()
    local snapshot = entities:snapshot(old and old.snapshot)
    run.taken[slot] = { snapshot = snapshot, state = run.state:copy(), hash = hash, host = run.host }
    run.equal(hash, entities:hash(), "the hash after a snapshot")
  end,
}

actions.restore = { weight = 2,
  make = function(gen) return gen.random(4) end,
  play = function(run, slot)
    restore(run, run.need(run.taken[slot]))
  end,
}

-- The run goes on in the other manager.
actions.move = { weight = 0.7,
  make = actions.restore.make,
  play = function(run, slot)
    local taken = run.need(run.taken[slot])
    run.host, run.other = run.other, run.host
    restore(run, taken)
  end,
}

return actions
