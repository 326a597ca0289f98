-- Runs benches: all of bench/*_bench.lua, or those named.
--
-- usage: luajit bench/run.lua [--quick] [--out FILE] [NAME...]
--   --quick     small sizes, answers only
--   --out FILE  keep the results, with machine and commit
--   NAME        `entities` for bench/entities_bench.lua, or a path

package.path = "./?.lua;" .. package.path
local harness = require "bench.harness"

local function first_line(command)
  local pipe = io.popen(command .. " 2>/dev/null")
  local line = pipe:read "*l"
  pipe:close()
  return line or "unknown"
end

local quick, out, paths = false, nil, {}
local i = 1
while arg[i] do
  if arg[i] == "--quick" then
    quick = true
  elseif arg[i] == "--out" then
    i = i + 1
    out = assert(io.open(assert(arg[i], "--out needs a file"), "w"))
  else
    paths[#paths + 1] = arg[i]:find "%.lua$" and arg[i] or "bench/" .. arg[i] .. "_bench.lua"
  end
  i = i + 1
end
if #paths == 0 then
  local pipe = io.popen "ls bench/*_bench.lua"
  for path in pipe:lines() do paths[#paths + 1] = path end
  pipe:close()
end
if #paths == 0 then
  io.stderr:write "no bench to run\n"
  os.exit(1)
end

local function print_line(line)
  print(line)
  io.stdout:flush()
  if out then out:write(line, "\n") end
end

print_line("host    " .. (jit and jit.version .. (jit.status() and "" or ", JIT off") or _VERSION))
if not quick then
  print_line("machine " .. first_line "lscpu | sed -n 's/^Model name: *//p'" .. ", " .. first_line "uname -srm")
  print_line("commit  " .. first_line "git describe --always --dirty")
  print_line("date    " .. os.date "!%Y-%m-%d")
end

local failed = false
for _, path in ipairs(paths) do
  print_line("")
  print_line(path)
  local bench = harness.bench(print_line, quick)
  bench.header()
  local ok, message = xpcall(function() assert(loadfile(path))()(bench) end, debug.traceback)
  if not ok then
    failed = true
    print_line("failed: " .. tostring(message))
  end
end
if out then out:close() end
os.exit(failed and 1 or 0)
