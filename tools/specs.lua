-- Runs the specs several times, each time under another interpreter, build or environment, and sums up. Each file is a
-- process of its own, so that garbage of one does not slow down another. Prints the slowest files of each run.
--
-- usage: lua5.1 tools/specs.lua ["--only TAG ..."] ["--without TAG ..."] "NAME: COMMAND" ...
-- COMMAND is the interpreter, with variables before it: "release: CUTTLE_BUILD=build luajit -joff". The runs after
-- --only take the files with at least one of the tags, the runs after --without the files with none of them.
-- The tags of a file are the names of its folders below spec, those of its line "-- tags: NAME ...", and `all`. A run
-- without files is left out.
-- Environment: SPEC (files or folders), FILTER (Lua pattern of test names), FILTER_OUT (patterns of those to leave out,
-- a line each), JOBS (processes side by side), BATCH (files for one process: 1, or all with a FILTER), TIMEOUT (seconds
-- for one process), CUTTLE_TALLY (a file to which "passed failed" of all runs is added).

local SLOWEST = 10
local MOST_SHOWN = 4000 -- characters of the output of one process, when failures are printed again

local function variable(name, default)
  local value = os.getenv(name)
  return value and value ~= "" and value or default
end

local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function lines_of(command)
  local lines, pipe = {}, io.popen(command)
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local function read(path)
  local file = io.open(path)
  local text = file and file:read "*a" or ""
  if file then file:close() end
  return text
end

local function write(path, text, mode)
  local file = assert(io.open(path, mode or "w"))
  file:write(text)
  file:close()
end

local SPECS = variable("SPEC", "spec")
local FILTER = variable("FILTER")
local FILTER_OUT = variable("FILTER_OUT", "")
local JOBS = variable("JOBS", "1")
local BATCH = tonumber(variable("BATCH", FILTER and "1e9" or "1"))
local TIMEOUT = variable("TIMEOUT", "1800")

-- A process that hangs is stopped and counts as failed, so that the others run.
local TIMED = os.execute "command -v timeout >/dev/null 2>&1" == 0 and "timeout -k 10 " .. TIMEOUT .. " " or ""

local OPTIONS = " --output=tools/report.lua --defer-print" .. (FILTER and " --filter=" .. quoted(FILTER) or "")
for pattern in FILTER_OUT:gmatch "[^\n]+" do OPTIONS = OPTIONS .. " --filter-out=" .. quoted(pattern) end

-- The scripts of all processes, and their outputs.
local folder = assert(lines_of("mktemp -d")[1], "mktemp makes no folder")

-- The requested files, the largest first: the last ones to run are short, so all processors end at about the same
-- time.
local texts = {}
local files = lines_of("{ find " .. SPECS .. " -name '*_spec.lua' || echo missing; } | LC_ALL=C sort")
for _, path in ipairs(files) do
  local file = io.open(path) or error("no specs there: " .. SPECS, 0)
  texts[path] = file:read "*a"
  file:close()
end
table.sort(files, function(a, b)
  if #texts[a] ~= #texts[b] then return #texts[a] > #texts[b] end
  return a < b
end)

local tags = {}
for path, text in pairs(texts) do
  local words = "all " .. path:gsub("[^/]*$", ""):gsub("/", " ") .. (("\n" .. text):match "\n%-%- tags: ([^\n]*)" or "")
  tags[path] = {}
  for tag in words:gmatch "%S+" do tags[path][tag] = true end
end

local function has_any(path, names)
  for tag in names:gmatch "%S+" do
    if tags[path][tag] then return true end
  end
  return false
end

-- Returns a list of strings: the files of each process of a run.
local function deal(only, without)
  local taken, parts = {}, {}
  for _, path in ipairs(files) do
    if has_any(path, only) and not has_any(path, without) then taken[#taken + 1] = path end
  end
  local count = math.ceil(#taken / BATCH)
  for i, path in ipairs(taken) do
    local part = (i - 1) % count + 1
    parts[part] = (parts[part] and parts[part] .. " " or "") .. quoted(path)
  end
  return parts
end

-- Reads the report of a process: counts, seconds, and a remark if it did not end normally.
local function finished(job)
  local report = read(job.report)
  local passed, failed, pending = ("\n" .. report):match "\ncounts (%d+) (%d+) (%d+)\n"
  job.passed, job.failed, job.pending = tonumber(passed or 0), tonumber(failed or 0), tonumber(pending or 0)
  if not passed then
    -- Specs that ended before the crash count; the crash is one more failure.
    local _, successes = report:gsub("\nend success", "")
    local _, pendings = report:gsub("\nend pending", "")
    local _, ended = report:gsub("\nend ", "")
    job.passed, job.failed, job.pending = successes, ended - successes - pendings + 1, pendings
    job.remark = ("ended early, exit status %s, in: %s"):format(
      report:match "exit (%d+)" or "unknown", report:match ".*test ([^\n]*)\n" or "no test yet")
  elseif job.failed == 0 and not report:match "exit 0\n" then
    job.failed, job.remark = 1, "all passed, but exit status " .. (report:match "exit (%d+)" or "unknown")
  end
  -- The second line of `times` is about children: processor time, as the user and as the system.
  local minutes, seconds, more_minutes, more = report:match "\n(%d+)m([%d.]+)s (%d+)m([%d.]+)s%s*$"
  job.seconds = minutes and 60 * (minutes + more_minutes) + seconds + more or 0
end

local runs, jobs = {}, {}

local function add_run(name, command, parts)
  if #parts == 0 then return end
  local run = { name = name, passed = 0, failed = 0, pending = 0, seconds = 0, jobs = {}, open = #parts }
  runs[#runs + 1] = run
  for _, part in ipairs(parts) do
    local number = #jobs + 1
    local path = folder .. "/" .. number
    local job = { run = run, files = part:gsub("'", ""), output = path .. ".output", report = path .. ".report" }
    jobs[number], run.jobs[#run.jobs + 1] = job, job
    write(path, ("{ %senv CUTTLE_REPORT=%s %s tools/busted.lua%s %s; } >%s 2>&1\n"):format(
      TIMED, job.report, command, OPTIONS, part, job.output)
      .. ("{ echo exit $?; LC_ALL=C; times; } >>%s\necho %d\n"):format(job.report, number))
  end
end

local selected = { only = "all", without = "" }
for _, argument in ipairs(arg) do
  local option, names = argument:match "^%-%-(%S+) ?(.*)$"
  if option then
    assert(selected[option], argument)
    selected[option] = names
  else
    local name, command = argument:match "^(.-): (.+)$"
    assert(name, "expected 'NAME: COMMAND', got " .. argument)
    add_run(name, command, deal(selected.only, selected.without))
  end
end

if #runs == 0 then error("none of the runs takes these specs: " .. SPECS, 0) end

local function summed(run)
  print(("== specs: %s"):format(run.name))
  for _, job in ipairs(run.jobs) do
    for _, key in ipairs { "passed", "failed", "pending", "seconds" } do run[key] = run[key] + job[key] end
    if job.failed + job.pending > 0 then
      job.shown = read(job.output)
      io.write(job.shown)
    end
    if job.remark then
      run.remark = ("%s: %s"):format(job.files, job.remark)
      print(run.remark)
    end
  end
  if run.passed + run.failed + run.pending == 0 then run.failed, run.remark = 1, "no test ran" end
  table.sort(run.jobs, function(a, b) return a.seconds > b.seconds end)
  print(("%d passed, %d failed, %d pending, %.1f s of processor time, most of it in"):format(
    run.passed, run.failed, run.pending, run.seconds))
  for i = 1, math.min(SLOWEST, #run.jobs) do
    print(("%8.1f s  %s"):format(run.jobs[i].seconds, run.jobs[i].files))
  end
  print ""
  io.stdout:flush()
end

local numbers = {}
for i = 1, #jobs do numbers[i] = i .. "\n" end
write(folder .. "/numbers", table.concat(numbers))
local ended = io.popen(("xargs -n 1 -P %s sh -c 'sh \"$0/$1\"' %s <%s/numbers"):format(JOBS, folder, folder))
for number in ended:lines() do
  local job = jobs[tonumber(number)]
  finished(job)
  job.run.open = job.run.open - 1
  if job.run.open == 0 then summed(job.run) end
end
ended:close()
for _, run in ipairs(runs) do
  if run.open > 0 then
    for _, job in ipairs(run.jobs) do
      if not job.seconds then finished(job) end
    end
    summed(run)
  end
end
os.execute("rm -rf " .. folder)

local total = { name = "total", passed = 0, failed = 0, pending = 0, seconds = 0 }
local width = #total.name
for _, run in ipairs(runs) do
  width = math.max(width, #run.name)
  for _, key in ipairs { "passed", "failed", "pending", "seconds" } do total[key] = total[key] + run[key] end
end

local function row(run)
  print(("%-" .. width .. "s %8d %8d %8d %8.0f%s"):format(
    run.name, run.passed, run.failed, run.pending, run.seconds, run.remark and "  " .. run.remark or ""))
end
print(("%-" .. width .. "s %8s %8s %8s %8s"):format("run", "passed", "failed", "pending", "seconds"))
for _, run in ipairs(runs) do row(run) end
row(total)

-- Prints the failures again, because the end of a long log is read first, and often only the end is kept.
for _, run in ipairs(runs) do
  for _, job in ipairs(run.jobs) do
    if job.failed > 0 then
      print(("\nfailed: %s: %s%s"):format(run.name, job.files, job.remark and ": " .. job.remark or ""))
      io.write(job.shown:sub(-MOST_SHOWN))
    end
  end
end

local tally = variable("CUTTLE_TALLY")
if tally then write(tally, total.passed .. " " .. total.failed .. "\n", "a") end
os.exit(total.failed == 0 and 0 or 1)
