-- Program that runs one bench in Lua and prints its rows, like the programs of the C benches.
--
-- usage: luajit bench/measure.lua NAME [--quick] [--rounds N] [--build FOLDER]

package.path = "./?.lua;" .. package.path
local harness = require "bench.harness"
local results = require "bench.results"

local name, options = arg[1], {}
for i = 2, #arg do
  if arg[i] == "--quick" then options.quick = true end
  if arg[i] == "--rounds" then options.rounds = tonumber(arg[i + 1]) end
  if arg[i] == "--build" then options.build = arg[i + 1] end
end

local function print_line(line)
  print(line)
  io.stdout:flush()
end

local bench = harness.bench(name, function(row) print_line(results.line(results.RESULT, row)) end,
  function(text) print_line("# " .. text) end, options)
local ok, message = xpcall(function()
  assert(loadfile("bench/" .. name .. "_bench.lua"))()(bench)
end, debug.traceback)
if not ok then
  io.stderr:write("bench/", name, "_bench.lua failed: ", tostring(message), "\n")
  os.exit(1)
end
