-- Random runs over the whole API against a simple model in plain tables.
--
--   local play = require "spec.support.play"
--   play.random { seed = 1, steps = 300 }    raises a failing run as a script of a few lines
--   play.replay { { "create", 1, 2 }, { "destroy", 1 } }
--
-- An action is plain data: a name and arguments, in which entities are numbers. An action that is not possible at its
-- time is skipped, so that any part of a run is a run. New actions are added to a file of play/actions.

local compare = require "spec.support.play.compare"
local fields = require "spec.support.play.fields"
local new_random = require "spec.support.random"
local poses = require "spec.support.play.poses"
local random_actions = require "spec.support.play.random_actions"
local runs = require "spec.support.play.run"
local scenery = require "spec.support.play.scenery"
local shrink = require "spec.support.play.shrink"

local play = { actions = {}, with = scenery.with }

local FILES = { "entities", "components", "transforms", "space", "levels", "memory", "growth", "time", "hooks",
  "queries", "near", "reading", "net" }
for _, file in ipairs(FILES) do
  for name, action in pairs(require("spec.support.play.actions." .. file)) do
    assert(not play.actions[name], name)
    play.actions[name] = action
  end
end

-- Grown transforms are reset, so that floats continue to hold their numbers exactly.
local LARGEST_STEP, LONGEST_AXIS = 1000, 4

local function is_wild(t)
  local m = poses.matrix(t)
  for i = 1, 16 do
    if math.abs(m[i]) > (i > 12 and LARGEST_STEP or LONGEST_AXIS) then return true end
  end
  return false
end

local function tame(run)
  for _, w in ipairs(scenery.WORLD_NAMES) do
    local manager = run:manager(w, "transform")
    for _, n in ipairs(run.state:living()) do
      local list = run.state:list(w, "transform", n)
      if list and is_wild(list[1]) then
        manager:set_local_pose(run.state.ids[n], 1, 0, 0, 0, 0, 0, 1, 1, 1, 1)
        poses.set_parts(list[1], { 1, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 })
      end
    end
  end
end

-- Plays an action. Returns false if it was skipped. Raises the error of a comparison.
local function attempt(run, action, actions)
  local ok, message = pcall(function() actions[action[1]].play(run, unpack(action, 2)) end)
  if not ok and message ~= runs.SKIP then error(message, 0) end
  return ok
end

local function open(options)
  local run = runs.new(options.minimum or 3)
  local actions = options.actions or play.actions
  run.watch = options.watch
  function run:play_inside(action) attempt(self, action, actions) end
  return run, actions
end

local function step(run, action, actions, number, whole)
  if run.watch then run.watch(run) end
  if not attempt(run, action, actions) then return false end
  tame(run)
  if whole or number % 10 == 0 then compare.all(run, number) else compare.quick(run, number) end
  return true
end

-- Plays actions and compares everything after each. Returns the hash after each action.
function play.replay(list, options)
  options = options or {}
  local run, actions = open(options)
  local hashes = {}
  for i, action in ipairs(list) do
    local ok, message = pcall(step, run, action, actions, i, not options.quick)
    if not ok then error(("%s\nin %s"):format(tostring(message), fields.text(action)), 0) end
    hashes[i] = run.host.entities:hash()
  end
  return hashes
end

-- A script that replays a run.
function play.text(list, options)
  local lines = { 'require("spec.support.play").replay({' }
  for _, action in ipairs(list) do lines[#lines + 1] = "  " .. fields.text(action) .. "," end
  lines[#lines + 1] = ("}, { minimum = %d })"):format(options.minimum or 3)
  return table.concat(lines, "\n")
end

local function try(list, options)
  local ok, message = pcall(play.replay, list, options)
  return not ok and tostring(message) or nil
end

-- Raises an error with the shortest run that was found, and with the reason.
local function report(list, options, message)
  local small, reason = shrink(list, function(part) return try(part, options) end)
  error(("%s\n\nafter %d actions. The same in %d:\n\n%s\n"):format(reason or message, #list, #small,
    play.text(small, options)), 0)
end

local function note(options, action)
  if not options.log then return end
  local file = assert(io.open(options.log, "a"))
  file:write("  ", fields.text(action), ",\n")
  file:close()
end

-- Plays random actions. Returns them, and the hash after each. Options: `minimum` is the number of indices that must be
-- free before one is reused; `log` is a file to which each action is written before it is played; `watch` is called
-- with the run before each action, also in a replay.
function play.random(options)
  local run, actions = open(options)
  local random = random_actions.new(new_random(options.seed), actions, run)
  local list, hashes = {}, {}
  while #list < options.steps do
    local action = random:any()
    if action then
      note(options, action)
      list[#list + 1] = action
      local ok, played = pcall(step, run, action, actions, #list, false)
      if not ok then report(list, options, played) end
      if played then hashes[#list] = run.host.entities:hash() else list[#list] = nil end
    end
  end
  compare.all(run, 0)
  return list, hashes
end

return play
