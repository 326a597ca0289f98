--- The program: plays a level as text: `lua main.lua [--rewind] [LEVEL.json or LEVEL.ldtk] [STEPS]`, or
-- `make run LEVEL=...`. With `--rewind` it goes back ten seconds at the end and plays them again, with the same result.
-- Contains only the order of the parts.

local here = arg[0]:match("^(.*[/\\])") or ""
package.path = here .. "../?.lua;" .. package.path

local cuttle = require "cuttle"
local battle = require "skirmish.battle"
local define_components = require "skirmish.components"
local foreign = require "skirmish.foreign"
local levels = require "skirmish.levels"
local map = require "skirmish.map"
local past = require "skirmish.past"
local report = require "skirmish.report"
local stopwatch = require "skirmish.stopwatch"

local SEED, STEPS, REWOUND = 1805, 900, 600

-- Returns the result, or exits with a message. Bad input is not a bug, so it prints one line and no traceback.
local function need(result, message)
  if result then return result end
  io.stderr:write("skirmish: ", tostring(message), "\n")
  return os.exit(1)
end

-- Plays and measures. `before` is the recorded past of the game, or nil.
local function play(game, count, before)
  local clock, total, worst = os.clock, 0, 0
  for _ = 1, count do
    local start = clock()
    game:step()
    local taken = clock() - start
    total, worst = total + taken, math.max(worst, taken)
    if before then before:record() end
  end
  return { average = total / math.max(count, 1) * 1000, worst = worst * 1000 }
end

local rewinds = arg[1] == "--rewind"
if rewinds then table.remove(arg, 1) end
local own_level = here .. "level.json"
local path = arg[1] or own_level
local steps = tonumber(arg[2] or STEPS)
need(steps and steps >= 0 and steps <= 1e6, ("%s: expected a number of steps (0 to 1000000)"):format(tostring(arg[2])))

local world = cuttle.world(cuttle.entity_manager(), { name = "the sea", seed = SEED })
define_components(world)
local compiler = cuttle.compiler(world)
local watch = stopwatch.new()

local file = need(levels.open(path, compiler, watch))
local resource = file.resource
local level = need(watch:time("spawn", world.spawn, world, resource))
report.opening(path)
report.level(world, level, file)

-- A level with fighters is played unchanged; any other is armed first.
local options = { seed = SEED, scale = 1, sides = { "the garrison", "the raiders" } }
local reinforcement
if world.health:count() > 0 then
  reinforcement = need(levels.read(here .. "sloop.json"))
else
  options.foreign = true
  options.sides, options.scale = foreign.recruit(world, level)
  reinforcement = foreign.latecomer(options.scale)
end
options.ship = need(levels.compiled(reinforcement, compiler, "reinforcements"))

local game = battle.new(world, options)
local frame = report.frame(world)
local before = map.draw(game, frame)
local recorded = rewinds and past.new(game)
local times = play(game, steps, recorded)
local hash = world.entities:hash()
if recorded then
  local gone = recorded:back(REWOUND)
  play(game, gone, recorded)
  report.rewound(gone, recorded.recorder)
  need(world.entities:hash() == hash, "the second run of the battle ended differently")
end
report.battle(game, before, map.draw(game, frame))
report.outcome(game, hash)

-- Checks the state of the world, with all entities and after unloading them.
assert(world:validate())
game:close()
assert(watch:time("restart", level.restart, level))
local again = level:count()
watch:time("unload", level.unload, level)
world:clear({ entities = true })
world:gc()
assert(world:validate())
assert(world.entities:validate())
report.times(watch, times)
report.checked(("Checked: the world is valid; restarted with %d entities, unloaded to %d."):format(again,
  world.entities:count()))
