--- The report as text: the level, the events and the times.
-- Must not change the game.

local map = require "skirmish.map"
local tree = require "skirmish.tree"

local WIDTH, MAP_COLUMNS, MAP_ROWS, TREE_LINES, EVENTS = 96, 44, 16, 36, 22

local report = {}

local function say(text, ...)
  print((text:format(...):gsub("%s+$", "")))
end

local function heading(title)
  print()
  print(title)
  print(("-"):rep(#title))
end

local function thousands(number)
  local text = ("%d"):format(math.floor(number))
  repeat
    local changed
    text, changed = text:gsub("^(%-?%d+)(%d%d%d)", "%1,%2")
  until changed == 0
  return text
end

-- Formats three significant digits: 0.0123, 1.23 and 123. The clock counts microseconds.
local function short(number)
  if number < 0.001 then return "< 0.001" end
  if number >= 100 then return ("%.0f"):format(number) end
  return (number >= 1 and "%.2f" or "%.4f"):format(number)
end

-- Prints words with a separator, broken into lines.
local function flow(first, words, between)
  local line, indent = first, (" "):rep(#first)
  for index, word in ipairs(words) do
    local item = word .. (index < #words and between or "")
    if #line + #item > WIDTH and #line > #first then
      say("%s", line)
      line = indent
    end
    line = line .. item
  end
  say("%s", line)
end

-- Returns the name of an entity with notes.
local function label_of(world, e)
  local notes, life, guns = {}, world.health:lookup(e), #world.cannon:ids(e)
  if life then notes[#notes + 1] = ("%d hp"):format(world.health:hp(life)) end
  if guns > 0 then notes[#notes + 1] = ("%d gun%s"):format(guns, guns == 1 and "" or "s") end
  local name = world.debug_name:debug_name(e) or "(without a name)"
  return #notes > 0 and ("%s (%s)"):format(name, table.concat(notes, ", ")) or name
end

-- Each root gets an equal share of the lines. If this is too little, the last roots are only named.
local function print_trees(world, roots)
  local used = 0
  for index, root in ipairs(roots) do
    if used >= TREE_LINES and world.transform:has(root) then
      local names = {}
      for other = index, #roots do names[#names + 1] = label_of(world, roots[other]) end
      for other = #names, 25, -1 do names[other] = nil end
      if #roots - index + 1 > 24 then names[#names + 1] = "..." end
      flow(("and %s more: "):format(thousands(#roots - index + 1)), names, ", ")
      return
    end
    local lines = world.transform:has(root) and tree.lines(world, root, function(e) return label_of(world, e) end,
      math.max(10, TREE_LINES - used)) or { label_of(world, root) }
    for _, line in ipairs(lines) do say("%s", line) end
    used = used + #lines
  end
end

function report.opening(path)
  local jit = rawget(_G, "jit")
  local machine = jit and ("%s, JIT %s"):format(jit.version, jit.status() and "on" or "off") or _VERSION
  local title = ("Skirmish over %s"):format(path)
  say("%s%s%s", title, (" "):rep(math.max(3, WIDTH - #title - #machine)), machine)
  print(("="):rep(WIDTH))
end

--- Prints the content of the level.
function report.level(world, level, file)
  heading "The level"
  say("file         %s, %s bytes; compiled %s bytes", file.kind, thousands(file.bytes),
    thousands(file.resource:bytes()))
  say("entities     %s, of which %s are roots", thousands(level:count()), thousands(#level:roots()))
  local words = {}
  for name, manager in world:managers() do
    if manager:count() > 0 then words[#words + 1] = ("%s %s"):format(thousands(manager:count()), name) end
  end
  flow("components   ", words, ", ")
  print()
  print_trees(world, level:roots())
end

--- Returns a map of the current world.
function report.frame(world)
  return map.frame(world, MAP_COLUMNS, MAP_ROWS)
end

--- Prints the most important events, then the maps before and after the battle, side by side.
function report.battle(game, before, after)
  heading(("The battle: %s against %s, %d steps of 1/60 s"):format(game.sides[1], game.sides[2], game.steps))
  local events, others = game.chronicle:highlights(EVENTS)
  for _, event in ipairs(events) do
    local words = {}
    for word in (event.text .. "."):gmatch "%S+" do words[#words + 1] = word end
    -- Cut, not rounded: interpreters disagree about halves.
    flow(("%5.1f s  "):format(math.floor(event.time * 10) / 10), words, " ")
  end
  if #events == 0 then say("         No events.") end
  if others > 0 then say("         ... and %d lesser events.", others) end
  print()
  local border = "+" .. ("-"):rep(MAP_COLUMNS) .. "+"
  say("%-" .. MAP_COLUMNS + 4 .. "s%s", "  before", ("  after %.0f s"):format(game.time))
  say("%s  %s", border, border)
  for row = 1, #before do say("|%s|  |%s|", before[row], after[row]) end
  say("%s  %s", border, border)
  say("  CAPITALS %s, small letters %s, * powder, o neutral, ' shot, x lost", game.sides[1], game.sides[2])
end

local function side_line(game, side)
  local tally = game.tally
  local left = game.roster.alive[side] or 0
  local fired, hits = tally.fired[side] or 0, tally.hits[side] or 0
  say("%-24s %3d left, %3d lost, %4d shots, %4d hits (%d%%), bounty %s", game.sides[side], left, tally.lost[side] or 0,
    fired, hits, fired > 0 and math.floor(hits / fired * 100 + 0.5) or 0, thousands(tally.bounty[side] or 0))
end

--- Prints that steps were played twice.
function report.rewound(steps, recorder)
  say("")
  say("Went back %d steps and played them again: %d snapshots, %s bytes.", steps, recorder:count(),
    thousands(recorder:bytes()))
end

function report.outcome(game, hash)
  heading "Result"
  side_line(game, 1)
  side_line(game, 2)
  local tally = game.tally
  say("entities                 %s spawned in play, %s died, %s at most, %s now", thousands(tally.spawned),
    thousands(tally.died), thousands(game.peak), thousands(game.entities:count()))
  say("components collected     %s; %d blasts; %s paces covered", thousands(tally.collected), tally.blasts,
    thousands(tally.sailed / game.scale))
  say("state of the world       %s", hash)
  local motto = report.motto(game)
  if motto then say("the last word            \"%s.\"", motto) end
end

-- Returns the text of the flag of the side with more entities, if the flag still exists.
function report.motto(game)
  local flag, alive = game.world.flag, game.roster.alive
  for e, instance in game.world:join(flag) do
    local carrier = game:carrier(e)
    local side = carrier and game.world.health:side(carrier) or 1
    if side == (alive[1] >= alive[2] and 1 or 2) then return flag:motto(instance) end
  end
  return nil
end

function report.times(watch, steps)
  heading "Milliseconds"
  local ms = watch.ms
  local names, values = {}, {}
  local function cell(name, value)
    if value then names[#names + 1], values[#values + 1] = ("%10s"):format(name), ("%10s"):format(short(value)) end
  end
  cell("import", ms.import)
  cell("compile", ms.compile)
  cell("load", ms.load)
  cell("spawn", ms.spawn)
  cell("step", steps.average)
  cell("worst step", steps.worst)
  cell("unload", ms.unload)
  cell("restart", ms.restart)
  say("%s", table.concat(names, " "))
  say("%s", table.concat(values, " "))
end

function report.checked(message)
  print()
  say("%s", message)
end

return report
