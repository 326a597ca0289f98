-- Measurement of cases. Must not depend on entities.
--
-- A bench file returns a function of the bench:
--
--   return function(bench)
--     local N = bench.size(100000, 1000) -- size for measuring, size for checking results only
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
--   name      the name in the table; unique in its file together with `items` and `cold`
--   items     the number of items of one run; times and garbage are per item
--   cold      true: memory is used for the first time
--   setup     optional; makes the state of one run, outside of the measured time
--   run       gets the state, returns the result
--   expect    the result, or check(result, state), which returns true for a correct result
--   limit     optional; the name of an earlier case with as many items, the physical limit of this case
--   bytes     the bytes held by all items, or moved by a limit: a number, or a function of the state; or bench.bytes
--   teardown  optional; frees objects that the collector would not free soon

local ROUNDS, WARM_UPS = 15, 2
-- Slow cases are measured less often: after this many seconds, only until the minimum number of rounds.
local ENOUGH, FEWEST = 1, 3

local has_ffi, ffi = pcall(require, "ffi")

-- Returns seconds. Plain Lua has only CPU time in microseconds; LuaJIT can call the system's clock.
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

-- Returns the smallest observed step of the clock, including its own cost.
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

-- Several short runs are measured together, so that a step of the clock is below a thousandth of the measured time.
local SHORTEST = resolution() * 1000

local function verify(case, answer, state)
  local right
  if case.check then
    right = case.check(answer, state) == true
  else
    assert(case.expect ~= nil, case.name .. ": 'expect' is missing")
    right = answer == case.expect
  end
  if not right then
    error(("%s: wrong result %s"):format(case.name, tostring(answer)), 0)
  end
end

local function bytes_of(case, state)
  local bytes = case.bytes
  return type(bytes) == "function" and bytes(state) or bytes
end

-- Returns seconds, bytes of garbage, and bytes held by one run, of `batch` runs.
local function round(case, batch)
  local states, answers, run = {}, {}, case.run
  for i = 1, batch do
    states[i] = case.setup and case.setup() or false
    answers[i] = false
  end
  collectgarbage()
  collectgarbage()
  collectgarbage "stop" -- the garbage of the case is counted, not collected
  local kilobytes = collectgarbage "count"
  local start = clock()
  for i = 1, batch do answers[i] = run(states[i]) end
  local seconds = clock() - start
  kilobytes = collectgarbage "count" - kilobytes
  collectgarbage "restart"
  local bytes = bytes_of(case, states[1])
  for i = 1, batch do
    verify(case, answers[i], states[i])
    if case.teardown then case.teardown(states[i]) end
  end
  return seconds, kilobytes * 1024, bytes
end

local harness = {}

-- The figures of sorted samples, as in bench/harness.h.
function harness.median(sorted)
  local middle = #sorted / 2
  return (sorted[math.floor(middle + 0.5)] + sorted[math.floor(middle + 1)]) / 2
end

-- The difference of the third and the first quartile, divided by the median.
function harness.spread(sorted)
  local n, median = #sorted, harness.median(sorted)
  local first, third = math.floor((n + 1) / 4) + 1, math.floor((3 * (n - 1) + 2) / 4) + 1
  return median > 0 and (sorted[third] - sorted[first]) / median or 0
end

local MOST = 2 ^ 18

-- Returns the number of runs that are measured together, at most MOST, even if the clock has longer steps.
local function batch_of(case)
  local batch, warm_ups, start = 1, 0, clock()
  repeat
    local seconds = round(case, batch)
    warm_ups = warm_ups + 1
    if seconds < SHORTEST and batch < MOST then batch, warm_ups = batch * 2, 0 end
  until warm_ups >= WARM_UPS or batch >= MOST or seconds >= SHORTEST and clock() - start > ENOUGH / 2
  return batch
end

local function measure(case, rounds)
  local batch, start = batch_of(case), clock()
  local times, garbage, bytes = {}, math.huge
  repeat
    local seconds, left, held = round(case, batch)
    times[#times + 1] = seconds * 1e9 / (batch * case.items)
    garbage, bytes = math.min(garbage, left / (batch * case.items)), held
  until #times >= rounds or #times >= FEWEST and clock() - start > ENOUGH
  table.sort(times)
  return { rounds = #times, median_ns = harness.median(times), best_ns = times[1], spread = harness.spread(times),
    bytes = bytes and bytes / case.items, garbage = garbage }
end

-- Returns a bench that passes its rows (bench/results.lua) to `take_row` and remarks to `note`. Options: `quick` runs
-- each case once and checks only the result; `rounds`, the maximum number of rounds; `build`, the build folder.
function harness.bench(name, take_row, note, options)
  local bench, bests = { quick = options.quick, build = options.build or "build" }, {}

  function bench.size(measured, checked)
    return bench.quick and checked or measured
  end

  -- Returns all sizes for measuring, or the one size for checking results.
  function bench.sizes(measured, checked)
    return bench.quick and { checked } or measured
  end

  -- Shuffles the items in place, with the same order every time.
  function bench.shuffled(items)
    local seed = 1
    for i = #items, 2, -1 do
      seed = seed * 16807 % 2147483647
      local j = seed % i + 1
      items[i], items[j] = items[j], items[i]
    end
    return items
  end

  -- Prints a figure that is not a time.
  function bench.note(text)
    if not bench.quick then note(text) end
  end

  function bench.case(case)
    case.bytes = case.bytes or bench.bytes
    local row = { bench = name, case = case.name, memory = case.cold and "cold" or "warm", items = case.items }
    local key = ("%s, %s, %.0f"):format(row.case, row.memory, row.items)
    local limit = case.limit and ("%s, warm, %.0f"):format(case.limit, row.items)
    assert(not bests[key], key .. ": the case exists already")
    assert(not limit or bests[limit], key .. ": its limit must be an earlier case: " .. tostring(limit))
    if bench.quick then
      round(case, 1)
    else
      for column, value in pairs(measure(case, math.min(options.rounds or ROUNDS, ROUNDS))) do row[column] = value end
      row.limit = case.limit
      row.limit_ns = limit and bests[limit]
      row.x_limit = limit and row.best_ns / row.limit_ns
    end
    bests[key] = row.best_ns or true
    take_row(row)
  end

  return bench
end

return harness
