-- That random runs (spec/play_spec.lua) call every public function there is. A function that they do not call is an
-- action more in spec/support/play/actions, or is among those here that have a reason.

local calls = require "spec.support.play.calls"
calls.begin()

local fields = require "spec.support.play.fields"
local growth = require "spec.support.play.growth"
local new_random = require "spec.support.random"
local play = require "spec.support.play"
local scenery = require "spec.support.play.scenery"
local seed = require "spec.support.seed"

-- It is the same on every host.
if require "spec.support.slow" then return end

-- Function -> why runs do without it.
local WITHOUT = {
  ["cuttle.load"] = "reads a file, then is cuttle.resource",
  ["compiler:compile_file"] = "writes a file of what compile returns",
  ["cuttle.report"] = "writes a file of what the inspector shows",
  ["cuttle.schema"] = "tells which components there are, not what they hold",
  ["cuttle.pretty_entities"] = "changes the Lua state, once and for all",
  ["column:pointer"] = "is raw memory, and LuaJIT's alone",
}

-- Whoever has everything is written to and read, field by field; each kind of function that is told comes and goes.
local function everything()
  local list, random = { { "make", "field", 1, 1, {}, "one" } }, new_random(seed)
  local function values(schema)
    local out = {}
    for _, field in ipairs(schema) do
      out[field[1]] = fields.random(field, random, function() return 1 end)
    end
    return out
  end
  local function visit(m, schema)
    if m ~= "grid" then list[#list + 1] = { "write_all", "field", m, 1, 1, values(schema) } end
    list[#list + 1] = { "read", "field", m, 1, 1 }
  end
  for _, m in ipairs(scenery.WORLDS.field) do
    list[1][5][m] = { resource = scenery.COMPONENTS[m].required and scenery.COMPONENTS[m][1][3] }
    if m ~= "transform" then visit(m, scenery.COMPONENTS[m]) end
  end
  for version, schema in ipairs(growth.VERSIONS) do
    list[#list + 1] = { "define", "field", version }
    visit("mood", schema)
  end
  for _, change in ipairs { { "tiles", "sword" }, { "cell_size", { 8, 4 } } } do
    list[#list + 1] = { "grid_look", 1, change }
  end
  for _, action in ipairs { { "create", 2, 1 }, { "add", "field", "grid", 2, {} }, { "read_grid", 2 } } do
    list[#list + 1] = action
  end
  for _, what in ipairs { "add", "remove", "destroy", "restore", "add" } do
    list[#list + 1] = { "hook", 1, what, "field", "flag" }
  end
  return list
end

-- The rest is left to chance. Rare actions come almost as often as others, but for what takes long.
local MOST_RUNS, STEPS = 150, 80
local SLOW = { spin = 0.02, collect = 0, destroy_tree = 0.3, trim = 0.3 }
local actions = {}
for name, action in pairs(play.actions) do
  actions[name] = { weight = SLOW[name] or math.max(action.weight, 1), make = action.make, play = action.play }
end

local function not_called()
  local names = {}
  for name in pairs(calls.all) do
    if not calls.called[name] and not WITHOUT[name] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

describe("random play, seed " .. seed .. ",", function()
  it("calls every function of every table, but for those that have a reason", function()
    play.replay(everything(), { watch = calls.look, quick = true })
    local names = not_called()
    for run = 1, MOST_RUNS do
      play.random { seed = seed + run, steps = STEPS, actions = actions, watch = calls.look }
      names = not_called()
      if #names == 0 then break end
    end
    assert.are.same({}, names)
  end)

  it("does without functions that there are, and does not call", function()
    for name, reason in pairs(WITHOUT) do
      assert.is_true(calls.all[name] and not calls.called[name], name .. " " .. reason)
    end
  end)
end)
