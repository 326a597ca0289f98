-- Actions that redefine components while they exist.

local growth = require "spec.support.play.growth"
local need = require("spec.support.play.run").need

local actions = {}

actions.define = { weight = 0.8,
  make = function(gen) return gen:world(), math.max(1, gen.random(#growth.VERSIONS + 2) - 2) end,
  play = function(run, w, version)
    run:world(w):define("mood", need(growth.VERSIONS[version]), { migrate = true })
    run.host.versions[w] = version
    growth.convert(run.state, w, version)
  end,
}

return actions
