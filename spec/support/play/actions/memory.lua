-- Actions that change rows and memory, but nothing visible.

local scenery = require "spec.support.play.scenery"

local actions = {}

actions.gc = { weight = 2,
  make = function(gen) return gen:world(), ({ false, "all", 3 })[gen.random(3)] end,
  play = function(run, w, how)
    run:world(w):gc(how or nil)
    if how ~= "all" then return end
    for _, m in ipairs(scenery.WORLDS[w]) do
      local count = 0
      for _, list in pairs(run.state.worlds[w][m].of) do count = count + #list end
      run.equal(count, run:manager(w, m):count(), w .. "." .. m .. ": rows after gc")
    end
  end,
}

actions.gc_one = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return w, gen:kind(w), ({ false, "all", 2 })[gen.random(3)]
  end,
  play = function(run, w, m, how) run:manager(w, m):gc(how or nil) end,
}

actions.trim = { weight = 0.5,
  make = function(gen) return gen:world() end,
  play = function(run, w) run:world(w):trim() end,
}

actions.reserve = { weight = 0.5,
  make = function(gen)
    local w = gen:world()
    return w, gen:kind(w), gen.random(200)
  end,
  play = function(run, w, m, rows)
    run:manager(w, m):reserve(rows)
    run:world(w):reserve(rows)
  end,
}

-- A finalizer frees memory later, in the middle of any allocation.
actions.trim_in_finalizer = { weight = 0.5,
  make = function(gen) return gen:world() end,
  play = function(run, w)
    local world = run:world(w)
    getmetatable(newproxy(true)).__gc = function() pcall(world.trim, world) end
  end,
}

actions.collect = { weight = 0.1,
  make = function() return true end,
  play = function() collectgarbage() end,
}

return actions
