-- Random runs over the whole API against a naive model in plain tables.
--
--   local play = require "spec.support.play"
--   play.random { seed = 1, steps = 300 }    raises a failing run as a script of a few lines
--   play.replay { { "create", 1, 2 }, { "destroy", 1 } }
--
-- An action is plain data: a name, and arguments, among which entities are numbers. One that makes no sense as things
-- are is skipped, so that any part of a run is a run. A new one is an entry in a file of play/actions.

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
  "reading" }
for _, file in ipairs(FILES) do
  for name, action in pairs(require("spec.support.play.actions." .. file)) do
    assert(not play.actions[name], name)
    play.actions[name] = action
  end
end

-- Numbers of transforms that have grown are made small again, so that floats go on holding them exactly.
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

-- Whether it was played, and not skipped. Raises what is wrong.
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

-- Plays actions and compares everything after each. Returns hashes after each step.
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

-- Raises the run, made as short as it can be, with what is wrong.
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

-- Plays that many actions at random. Returns what was played, and the hash after each. 'minimum' indices wait before
-- one is used again; 'log' is a file that each action is written to before it is played; 'watch' is called with the run
-- before each, in a replay, too.
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
