-- Comparison with another commit: builds it in the build folder, runs its benches and those of this checkout in turns,
-- and prints ratios. Does not change the checkout. A commit without bench/results.lua gets the benches of this
-- checkout.
--
-- usage: luajit bench/compare.lua --base COMMIT [--turns N] [--build FOLDER] [--make COMMAND] [NAME...]

package.path = "./?.lua;" .. package.path
local commands = require "bench.commands"
local comparison = require "bench.comparison"
local results = require "bench.results"

local benches_of, lines_of, quoted = commands.benches_of, commands.lines_of, commands.quoted

local ROUNDS = 5 -- of a case in one turn

local function fail(message, ...)
  io.stderr:write("bench-compare: ", message:format(...), "\n")
  os.exit(1)
end

local options, names = { build = "build", turns = "5", make = "make", base = "" }, {}
do
  local i = 1
  while arg[i] do
    local option = arg[i]:match "^%-%-(.+)$"
    if option and not options[option] then fail("wrong option %s", arg[i]) end
    if option then
      options[option] = arg[i + 1] or ""
      i = i + 1
    else
      names[#names + 1] = arg[i]
    end
    i = i + 1
  end
end

local function succeeds(command, ...)
  for i = 1, select("#", ...) do command = command:gsub("%%s", (quoted(select(i, ...)):gsub("%%", "%%%%")), 1) end
  local status = os.execute(command)
  return status == 0 or status == true
end

-- ---------------------------------------------------------------- arguments

local turns = tonumber(options.turns)
if not turns or turns < 1 or turns % 1 ~= 0 then fail("TURNS=%s: expected a number of turns", options.turns) end
if options.base == "" then fail "expected a commit: make bench-compare BASE=commit" end
local commit = lines_of("git rev-parse --verify --quiet --end-of-options "
  .. quoted(options.base .. "^{commit}"))[1]
if not commit then fail("BASE=%s is not a commit of this repository", options.base) end

-- ---------------------------------------------------------------- building both commits

local folder = options.build .. "/bench/base"
local here = lines_of("pwd")[1]

local function unpack_base()
  local stamp = io.open(folder .. "/.commit")
  local there = stamp and stamp:read "*l"
  if stamp then stamp:close() end
  if there == commit then return end
  local done = succeeds("rm -rf %s && mkdir -p %s", folder, folder)
    and succeeds("git archive --format=tar %s >%s", commit, folder .. ".tar")
    and succeeds("tar -xf %s -C %s && rm %s", folder .. ".tar", folder, folder .. ".tar")
    and succeeds("echo %s >%s", commit, folder .. "/.commit")
  if not done then fail("commit %s could not be unpacked into %s", options.base, folder) end
end

unpack_base()
local own = io.open(folder .. "/bench/results.lua")
if own then
  own:close()
else
  print(("%s has no benches of this kind, so the benches of this checkout measure it"):format(options.base))
  succeeds("rm -rf %s && cp -R bench %s", folder .. "/bench", folder .. "/bench")
end
local words = names[1] and " BENCH=" .. quoted(table.concat(names, " ")) or " BENCH="
if not succeeds(options.make .. " --no-print-directory bench-programs BUILD=%s" .. words, options.build) then
  fail "this checkout does not build"
end
-- A bench of this checkout that does not build with an older core is listed below, with the cases of one side only.
succeeds(options.make .. " --no-print-directory -k -C %s -f %s BUILD=build bench-programs" .. words .. " >%s 2>&1",
  folder, here .. "/Makefile", folder .. ".log")
if not succeeds("test -f %s || test -f %s", folder .. "/build/cuttle/core.so", folder .. "/build/cuttle/core.dll") then
  fail("commit %s does not build: see %s.log", options.base, folder)
end

-- ---------------------------------------------------------------- running in turns

local SIDES = {
  base = { root = folder, build = "build", commit = commit },
  here = { root = ".", build = options.build, commit = "here" },
}

-- Returns the rows of one bench of a side; none if the side has no such bench.
local function rows_of(side, name, must_succeed)
  if not side.has[name] then return {} end
  local out = here .. "/" .. options.build .. "/bench/turn.csv"
  if options.build:find "^/" then out = options.build .. "/bench/turn.csv" end
  os.remove(out)
  local environment = 'cd %s && LUA_PATH="lua/?.lua;lua/?/init.lua;${LUA_PATH:-;}" LUA_CPATH=%s"/?.so;${LUA_CPATH:-;}" '
  local command = "%s bench/run.lua --rounds %d --build %s --out %s --commit %s %s >%s 2>&1"
  local line = environment:format(quoted(side.root), quoted(side.build)) .. command:format(commands.interpreter(),
    ROUNDS, quoted(side.build), quoted(out), side.commit, quoted(name), quoted(out .. ".log"))
  local status = os.execute(line)
  local done = status == 0 or status == true
  if not done and must_succeed then fail("bench '%s' of this checkout failed: see %s.log", name, out) end
  if not done then io.stderr:write(("bench '%s' failed with %s\n"):format(name, options.base)) end
  return results.read(out) or {}
end

local list
list, SIDES.here.has = benches_of "."
local base_list
base_list, SIDES.base.has = benches_of(folder)
for _, name in ipairs(base_list) do
  if not SIDES.here.has[name] then list[#list + 1] = name end
end
for _, name in ipairs(names) do
  if not SIDES.here.has[name] and not SIDES.base.has[name] then
    fail("neither side has a bench '%s'; benches: %s", name, table.concat(list, ", "))
  end
end
if #names > 0 then list = names end

print(("base is %s (%s); ratios are here / base, of the best of each turn, %d turns"):format(options.base,
  commit:sub(1, 12), turns))
local alone = { base = {}, here = {} }
for _, name in ipairs(list) do
  local taken = {}
  for i = 1, turns do
    local turn = {}
    local order = i % 2 == 1 and { "base", "here" } or { "here", "base" }
    for _, side in ipairs(order) do turn[side] = rows_of(SIDES[side], name, side == "here") end
    taken[i] = turn
  end
  local both, single = comparison.of(taken)
  if #both > 0 then print("\n" .. comparison.HEADER) end
  for _, case in ipairs(both) do print(comparison.shown(case)) end
  for side, keys in pairs(single) do
    for _, key in ipairs(keys) do table.insert(alone[side], key) end
  end
  io.stdout:flush()
end
for _, side in ipairs { "base", "here" } do
  if #alone[side] > 0 then print(("\nonly %s:"):format(side == "base" and "in " .. options.base or "here")) end
  for _, key in ipairs(alone[side]) do print("  " .. key) end
end
