-- Program that runs benches, each in a process of its own: all of bench/*_bench.c and bench/*_bench.lua, or those
-- named. Prints their rows as a table, and writes them to a file.
--
-- usage: luajit bench/run.lua [--quick] [--rounds N] [--build FOLDER] [--out FILE] [--flags TEXT] [--commit TEXT]
--                             [NAME...]
--   --quick         small sizes, checks results only
--   --rounds N      the maximum number of rounds of a case
--   --build FOLDER  the folder of the module and of the programs of the C benches (default: build)
--   --out FILE      writes results as CSV, with the columns of bench/results.lua
--   --flags TEXT    the compiler flags of the core, for the results
--   --commit TEXT   the commit, for the results (default: that of git)
--   NAME            `core` for bench/core_bench.c, `loops` for bench/loops_bench.lua

package.path = "./?.lua;" .. package.path
local commands = require "bench.commands"
local results = require "bench.results"

local lines_of, quoted = commands.lines_of, commands.quoted

local function fail(message)
  io.stderr:write(message, "\n")
  os.exit(1)
end

local options, names = { build = "build" }, {}
do
  local takes_value = { rounds = true, build = true, out = true, flags = true, commit = true }
  local i = 1
  while arg[i] do
    local option = arg[i]:match "^%-%-(.+)$"
    if option == "quick" then
      options.quick = true
    elseif option then
      if not takes_value[option] or not arg[i + 1] then fail("bench: wrong option " .. arg[i]) end
      options[option] = arg[i + 1]
      i = i + 1
    else
      names[#names + 1] = arg[i]
    end
    i = i + 1
  end
end

-- ---------------------------------------------------------------- benches

local function switches(with_build)
  return (options.quick and " --quick" or "") .. (options.rounds and " --rounds " .. quoted(options.rounds) or "")
    .. (with_build and " --build " .. quoted(options.build) or "")
end

-- C runs first, because Lua is built on it.
local known, kinds = commands.benches_of "."
local function command_of(name, kind)
  if kind == "c" then return quoted(options.build .. "/bench/" .. name) .. switches() end
  return commands.interpreter() .. " bench/measure.lua " .. quoted(name) .. switches(true)
end
for _, name in ipairs(names) do
  if not kinds[name] then fail(("no bench '%s'; benches: %s"):format(name, table.concat(known, ", "))) end
end
if #names == 0 then names = known end

-- ---------------------------------------------------------------- machine

local run = {
  commit = options.commit or lines_of("git describe --always --dirty")[1] or "unknown",
  date = os.date "!%Y-%m-%d",
  machine = ("%s, %s cores, %s"):format(lines_of("lscpu | sed -n 's/^Model name: *//p'")[1]
    or lines_of("sysctl -n machdep.cpu.brand_string")[1] or "unknown",
    lines_of("getconf _NPROCESSORS_ONLN")[1] or "?", lines_of("uname -srm")[1] or "unknown"),
  flags = options.flags or "unknown",
  host = jit and jit.version .. (jit.status() and "" or ", JIT off") or _VERSION,
}
if not options.quick then
  for _, column in ipairs(results.RUN) do print(("%-8s %s"):format(column, run[column])) end
end

local out
if options.out then
  local message
  out, message = io.open(options.out, "w")
  if not out then fail("bench: " .. message) end
  out:write(table.concat(results.ALL, ","), "\n")
end

-- ---------------------------------------------------------------- running

local function take(line)
  local row = results.row(results.RESULT, line)
  if row then
    print(results.shown(row))
    for column, value in pairs(run) do row[column] = value end
    if out then out:write(results.line(results.ALL, row), "\n") end
  elseif line:find "^# " then
    print(line)
  else
    fail("bench: expected a row or a remark, got: " .. line)
  end
  io.stdout:flush()
end

local failed = {}
for _, name in ipairs(names) do
  if not options.quick then print("\n" .. results.HEADER:gsub("^case", name, 1)) end
  for _, kind in ipairs(kinds[name]) do
    io.stdout:flush()
    local pipe, status = io.popen(command_of(name, kind) .. '; echo "exit $?"'), nil
    for line in pipe:lines() do
      status = line:match "^exit (%d+)$"
      if not status then take(line) end
    end
    pipe:close()
    if status ~= "0" then failed[#failed + 1] = name end
  end
end
if out then
  out:close()
  print("\n" .. options.out)
end
if #failed > 0 then fail("failed: " .. table.concat(failed, ", ")) end
