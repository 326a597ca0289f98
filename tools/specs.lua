-- Runs the specs several times, each time under another interpreter, build or environment, and sums up.
--
-- usage: lua5.1 tools/specs.lua "NAME: COMMAND" ...
-- COMMAND is the interpreter, with variables before it: "release: CUTTLE_BUILD=build luajit -joff".
-- Environment: SPEC (files or folders), FILTER (Lua pattern of test names), FILTER_OUT (patterns of those to leave out,
-- a line each), JOBS (runs side by side; one that is alone is dealt out to them, unless there is a FILTER), TIMEOUT
-- (seconds for one run), CUTTLE_TALLY (a file to which "passed failed" of all runs is added).

local function variable(name, default)
  local value = os.getenv(name)
  return value and value ~= "" and value or default
end

local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function read_and_remove(path)
  local file = io.open(path)
  local text = file and file:read "*a" or ""
  if file then file:close() end
  os.remove(path)
  return text
end

local SPECS = variable("SPEC", "spec")
local FILTER = variable("FILTER")
local FILTER_OUT = variable("FILTER_OUT", "")
local JOBS = tonumber(variable("JOBS", "1"))
local TIMEOUT = variable("TIMEOUT", "1800")

-- A run that hangs is a failed run, and the others still want their turn.
local TIMED = os.execute "command -v timeout >/dev/null 2>&1" == 0 and "timeout -k 10 " .. TIMEOUT .. " " or ""

local function start(name, command, specs)
  local run = { name = name, output = os.tmpname(), report = os.tmpname() }
  local line = TIMED .. "env CUTTLE_REPORT=" .. run.report .. " " .. command
    .. " tools/busted.lua --output=tools/report.lua --defer-print"
    .. (FILTER and " --filter=" .. quoted(FILTER) or "") .. " " .. specs
  for pattern in FILTER_OUT:gmatch "[^\n]+" do line = line .. " --filter-out=" .. quoted(pattern) end
  run.process = io.popen(("{ %s; } >%s 2>&1; echo exit $? >>%s"):format(line, run.output, run.report))
  return run
end

local function finish(run)
  run.process:close()
  local report = read_and_remove(run.report)
  print("== specs: " .. run.name)
  io.write(read_and_remove(run.output))

  local passed, failed, pending = ("\n" .. report):match "\ncounts (%d+) (%d+) (%d+)\n"
  run.passed, run.failed, run.pending = tonumber(passed or 0), tonumber(failed or 0), tonumber(pending or 0)
  if not passed then
    -- What had ended by then still counts; the crash itself is one more failure.
    local _, successes = report:gsub("\nend success", "")
    local _, pendings = report:gsub("\nend pending", "")
    local _, ended = report:gsub("\nend ", "")
    run.passed, run.failed, run.pending = successes, ended - successes - pendings + 1, pendings
    run.remark = ("ended early, exit status %s, in: %s"):format(
      report:match "exit (%d+)" or "unknown", report:match ".*test ([^\n]*)\n" or "no test yet")
  elseif run.passed + run.failed + run.pending == 0 then
    run.failed, run.remark = 1, "no test ran"
  elseif run.failed == 0 and not report:match "exit 0\n" then
    run.failed, run.remark = 1, "all passed, but exit status " .. (report:match "exit (%d+)" or "unknown")
  end
  print(run.remark and run.remark .. "\n" or "")
  io.stdout:flush()
end

-- The files that are asked for, dealt out to 'count' at most.
local function deal(count)
  local parts, number = {}, 0
  local files = io.popen("find " .. SPECS .. " -name '*_spec.lua' | LC_ALL=C sort")
  for file in files:lines() do
    local part = number % count + 1
    parts[part] = (parts[part] and parts[part] .. " " or "") .. quoted(file)
    number = number + 1
  end
  files:close()
  return parts
end

local asked = {}
for i = 1, #arg do
  local name, command = arg[i]:match "^(.-): (.+)$"
  assert(name, "expected 'NAME: COMMAND', got " .. arg[i])
  asked[i] = { name, command, SPECS }
end
if #asked == 1 and JOBS > 1 and not FILTER then
  local name, command = unpack(asked[1])
  local parts = deal(JOBS)
  for i = 1, #parts > 1 and #parts or 0 do
    asked[i] = { ("%s, part %d of %d"):format(name, i, #parts), command, parts[i] }
  end
end

local runs = {}
for i = 1, #asked do
  runs[i] = start(unpack(asked[i]))
  if i >= JOBS then finish(runs[i - JOBS + 1]) end
end
for i = math.max(#asked - JOBS + 2, 1), #asked do finish(runs[i]) end

local total = { name = "total", passed = 0, failed = 0, pending = 0 }
local width = #total.name
for _, run in ipairs(runs) do
  width = math.max(width, #run.name)
  total.passed, total.failed, total.pending =
    total.passed + run.passed, total.failed + run.failed, total.pending + run.pending
end

local function row(run)
  print(("%-" .. width .. "s %8d %8d %8d%s"):format(
    run.name, run.passed, run.failed, run.pending, run.remark and "  " .. run.remark or ""))
end
print(("%-" .. width .. "s %8s %8s %8s"):format("run", "passed", "failed", "pending"))
for _, run in ipairs(runs) do row(run) end
row(total)

local tally = variable("CUTTLE_TALLY")
if tally then
  local file = assert(io.open(tally, "a"))
  file:write(total.passed, " ", total.failed, "\n")
  file:close()
end
os.exit(total.failed == 0 and 0 or 1)
