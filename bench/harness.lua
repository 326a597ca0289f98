-- Measures cases: a case in, a line out. It knows nothing of entities.
--
-- A bench file returns a function of the bench:
--
--   return function(bench)
--     local N = bench.size(100000, 1000) -- when measured, when only the answers are checked
--     bench.case {
--       name = "create, into a reused table",
--       items = N,
--       setup = function() return { entities = cuttle.entity_manager(), out = {} } end,
--       run = function(state) return #state.entities:create(N, state.out) end,
--       expect = N,
--     }
--   end
--
-- Fields of a case:
--   name      told in the table
--   items     what one run works on; times and garbage are per item
--   setup     optional; makes the state of one run, outside the measured time
--   run       gets the state, returns the answer
--   expect    the answer, or check(answer, state), which returns true: without it the time means nothing
--   limit     optional; the name of an earlier case of the same file that is the physical limit of this one
--   teardown  optional; frees what the collector would not free soon

local ROUNDS, WARM_UPS = 15, 2

local has_ffi, ffi = pcall(require, "ffi")

-- Seconds as a number. CPU time in microseconds is all that plain Lua has; LuaJIT can ask the system.
local clock = os.clock
if has_ffi and ffi.os ~= "Windows" then
  ffi.cdef [[
    typedef struct { long seconds, nanoseconds; } bench_timespec;
    int clock_gettime(int clock, bench_timespec *time);
  ]]
  local MONOTONIC = ffi.os == "OSX" and 6 or 1
  local time = ffi.new "bench_timespec"
  clock = function()
    ffi.C.clock_gettime(MONOTONIC, time)
    return tonumber(time.seconds) + tonumber(time.nanoseconds) * 1e-9
  end
end

-- The smallest step of the clock that was seen, its own cost included.
local function resolution()
  local smallest = math.huge
  for _ = 1, 20 do
    local start = clock()
    local now = clock()
    while now == start do now = clock() end
    smallest = math.min(smallest, now - start)
  end
  return smallest
end

-- Short runs are measured several together, so that one step of the clock is below a thousandth of what is measured.
local SHORTEST = resolution() * 1000

local function verify(case, answer, state)
  local right
  if case.check then
    right = case.check(answer, state) == true
  else
    assert(case.expect ~= nil, case.name .. ": expects no answer")
    right = answer == case.expect
  end
  if not right then
    error(("%s: wrong answer %s: the time means nothing"):format(case.name, tostring(answer)), 0)
  end
end

-- Seconds and bytes of garbage of `batch` runs.
local function round(case, batch)
  local states, answers, run = {}, {}, case.run
  for i = 1, batch do
    states[i] = case.setup and case.setup() or false
    answers[i] = false
  end
  collectgarbage()
  collectgarbage()
  collectgarbage "stop" -- garbage made by the case is told, not collected
  local kilobytes = collectgarbage "count"
  local start = clock()
  for i = 1, batch do answers[i] = run(states[i]) end
  local seconds = clock() - start
  kilobytes = collectgarbage "count" - kilobytes
  collectgarbage "restart"
  for i = 1, batch do
    verify(case, answers[i], states[i])
    if case.teardown then case.teardown(states[i]) end
  end
  return seconds, kilobytes * 1024
end

local function median(sorted)
  local middle = #sorted / 2
  return (sorted[math.floor(middle + 0.5)] + sorted[math.floor(middle + 1)]) / 2
end

local function measure(case)
  local batch, warm_ups = 1, 0
  repeat
    local seconds = round(case, batch)
    warm_ups = warm_ups + 1
    if seconds < SHORTEST then batch, warm_ups = batch * 2, 0 end
  until warm_ups >= WARM_UPS

  local times, garbage = {}, math.huge
  for i = 1, ROUNDS do
    local seconds, bytes = round(case, batch)
    times[i] = seconds * 1e9 / (batch * case.items)
    garbage = math.min(garbage, bytes / (batch * case.items))
  end
  table.sort(times)
  return { best = times[1], median = median(times), garbage = garbage }
end

local harness = {}

-- A bench that prints its lines through `print_line`; `quick` runs each case once and looks at the answer only.
function harness.bench(print_line, quick)
  local bench, results = { quick = quick }, {}

  function bench.size(measured, checked)
    return quick and checked or measured
  end

  function bench.header()
    if quick then return end
    print_line(("%-56s %10s %10s %10s %8s %10s"):format(
      "case", "items", "median ns", "best ns", "x limit", "garbage B"))
  end

  -- The items in another order, the same every time, in place.
  function bench.shuffled(items)
    local seed = 1
    for i = #items, 2, -1 do
      seed = seed * 16807 % 2147483647
      local j = seed % i + 1
      items[i], items[j] = items[j], items[i]
    end
    return items
  end

  -- A figure that is no time.
  function bench.note(text)
    if not quick then print_line(text) end
  end

  function bench.case(case)
    assert(not results[case.name], case.name .. ": there is one already")
    assert(not case.limit or results[case.limit], case.name .. ": its limit comes first: " .. tostring(case.limit))
    if quick then
      round(case, 1)
      results[case.name] = true
      print_line("right  " .. case.name)
      return
    end
    local result = measure(case)
    results[case.name] = result
    print_line(("%-56s %10d %10.2f %10.2f %8s %10.1f"):format(
      case.name, case.items, result.median, result.best,
      case.limit and ("%.2f"):format(result.median / results[case.limit].median) or "", result.garbage))
  end

  return bench
end

return harness
