-- Coverage of the public functions by random runs (spec/play_spec.lua). A function that they do not call needs another
-- action in spec/support/play/actions, or a reason in the list below.

-- tags: once

local calls = require "spec.support.play.calls"
calls.begin()

local fields = require "spec.support.play.fields"
local growth = require "spec.support.play.growth"
local new_random = require "spec.support.random"
local play = require "spec.support.play"
local scenery = require "spec.support.play.scenery"
local seed = require "spec.support.seed"

-- The coverage is the same on every host, so slow hosts skip this spec.
if require "spec.support.slow" then return end

-- Function -> the reason why random runs do not call it.
local WITHOUT = {
  ["cuttle.stage"] = "is spawns, unloads and states of levels",
  ["cuttle.load"] = "reads a file and calls cuttle.resource",
  ["compiler:compile_file"] = "writes a file of what compile returns",
  ["cuttle.report"] = "writes a file of what the inspector shows",
  ["cuttle.schema"] = "describes component types, not contents",
  ["cuttle.pretty_entities"] = "changes the Lua state permanently",
  ["cuttle.sin"] = "is a function of numbers",
  ["cuttle.cos"] = "is a function of numbers",
  ["cuttle.atan2"] = "is a function of numbers",
  ["cuttle.exp"] = "is a function of numbers",
  ["cuttle.log"] = "is a function of numbers",
  ["column:pointer"] = "gives raw memory, on LuaJIT only",
}

-- Actions that write and read every field of an entity with all components, and add and remove each kind of callback.
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
  for _, action in ipairs { { "create", 2, 1 }, { "add", "field", "grid", 2, {} }, { "read_grid", 2 },
    { "fill_cells", 2, { 0, 0, 1, 0 }, 2 } } do
    list[#list + 1] = action
  end
  for _, kind in ipairs { "add", "remove", "destroy", "restore", "add" } do
    list[#list + 1] = { "hook", 1, kind, "field", "flag" }
  end
  return list
end

-- The other functions are called at random. Rare actions are almost as frequent as others, except slow ones. Those that
-- often find nothing to do are tried more often.
local MOST_RUNS, STEPS = 150, 80
local WEIGHTS = { spin = 0.02, collect = 0, destroy_tree = 0.3, trim = 0.3, sum_many = 6, release = 6 }
local actions = {}
for name, action in pairs(play.actions) do
  actions[name] = { weight = WEIGHTS[name] or math.max(action.weight, 1), make = action.make, play = action.play }
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
  it("calls every public function, except those that have a reason", function()
    play.replay(everything(), { watch = calls.look, quick = true })
    local names = not_called()
    for run = 1, MOST_RUNS do
      play.random { seed = seed + run, steps = STEPS, actions = actions, watch = calls.look }
      names = not_called()
      if #names == 0 then break end
    end
    assert.are.same({}, names)
  end)

  it("has reasons only for functions that exist and that it does not call", function()
    for name, reason in pairs(WITHOUT) do
      assert.is_true(calls.all[name] and not calls.called[name], name .. " " .. reason)
    end
  end)
end)
