-- The bench harness: figures from samples, rows of results, and the comparison of two sides.

local comparison = require "bench.comparison"
local harness = require "bench.harness"
local results = require "bench.results"

local function sorted(...)
  local samples = { ... }
  table.sort(samples)
  return samples
end

describe("the figures of samples", function()
  it("have the middle one, or the mean of the middle two, as the median", function()
    assert.equal(3, harness.median(sorted(9, 1, 3)))
    assert.equal(2.5, harness.median(sorted(4, 1, 2, 3)))
    assert.equal(7, harness.median { 7 })
  end)

  it("have the range from the first to the third quartile, divided by the median, as the spread", function()
    assert.equal(0, harness.spread { 7 })
    assert.equal(2 / 3, harness.spread(sorted(1, 2, 3, 4, 5)))
    assert.equal(0, harness.spread(sorted(2, 2, 2, 2, 99)))
    assert.equal(0, harness.spread { 0, 0, 0 })
  end)
end)

describe("a bench in Lua", function()
  local rows, notes

  local function bench(options)
    rows, notes = {}, {}
    return harness.bench("made up", function(row) rows[#rows + 1] = row end,
      function(text) notes[#notes + 1] = text end, options or { quick = true })
  end

  it("passes on a row for each case, without times if it only checks results", function()
    bench().case { name = "add", items = 3, cold = true, run = function() return 1 end, expect = 1 }
    assert.are.same({ { bench = "made up", case = "add", memory = "cold", items = 3 } }, rows)
  end)

  it("measures the given number of rounds, and compares with the best of its limit", function()
    local made = bench { rounds = 3 }
    local function run() -- long enough for coarse clocks
      local sum = 0
      for i = 1, 2000 do sum = sum + i % 3 end
      return sum > 0 and 1
    end
    made.case { name = "limit", items = 2, run = run, expect = 1, bytes = 16 }
    made.case { name = "add", items = 2, run = run, expect = 1, limit = "limit", bytes = function() return 10 end }
    local limit, row = rows[1], rows[2]
    assert.is_nil(limit.limit)
    assert.equal(8, limit.bytes)
    assert.equal(5, row.bytes)
    assert.equal(3, row.rounds)
    assert.equal("limit", row.limit)
    assert.equal(limit.best_ns, row.limit_ns)
    assert.equal(row.best_ns / limit.best_ns, row.x_limit)
    assert.is_true(row.best_ns <= row.median_ns)
  end)

  it("refuses a wrong result, a second case of the same name and size, and a limit that is a later case", function()
    local made = bench()
    local function case(fields)
      return function()
        made.case { name = fields.name or "add", items = 1, expect = 1, limit = fields.limit,
          run = function() return fields.answer or 1 end }
      end
    end
    assert.has_error(case { answer = 2 }, "add: wrong result 2")
    case {}()
    assert.error_matches(case {}, "add, warm, 1: the case exists already")
    assert.error_matches(case { name = "get", limit = "none" }, "its limit must be an earlier case: none, warm, 1")
  end)

  it("passes on remarks only if it measures", function()
    bench().note "not now"
    assert.are.same({}, notes)
    bench({}).note "bytes"
    assert.are.same({ "bytes" }, notes)
  end)
end)

describe("a row of results", function()
  local row = { bench = "core", case = 'create, "one" by one', memory = "warm", items = 1000000, rounds = 15,
    median_ns = 2.5, best_ns = 2.25, spread = 0.25, limit = "a loop, in C", limit_ns = 1.5, x_limit = 1.5, bytes = 7.5,
    garbage = 0 }

  it("is equal after writing and reading its line", function()
    local line = results.line(results.RESULT, row)
    assert.equal('core,"create, ""one"" by one",warm,1e+06,15,2.5,2.25,0.25,"a loop, in C",1.5,1.5,7.5,0', line)
    assert.are.same(row, results.row(results.RESULT, line))
  end)

  it("has empty columns if nothing was measured", function()
    local line = "core,alive,warm,1500,,,,,,,,,"
    local found = results.row(results.RESULT, line)
    assert.are.same({ bench = "core", case = "alive", memory = "warm", items = 1500 }, found)
    assert.equal(line, results.line(results.RESULT, found))
    assert.equal("right  alive, warm, 1500", results.shown(found))
  end)

  it("is refused with other columns, or with words instead of numbers", function()
    assert.is_nil(results.row(results.RESULT, "core,alive,warm"))
    assert.is_nil(results.row(results.RESULT, "core,alive,warm,many,,,,,,,,,"))
    assert.is_nil(results.row(results.RESULT, 'core,"alive,warm,1500,,,,,,,,,'))
  end)

  it("is a line of a table below its header", function()
    local shown = results.shown(row)
    assert.equal(#results.HEADER, #shown)
    assert.matches("warm%s+1000000%s+2.50%s+2.25%s+25 %%%s+1.50%s+7.5%s+0.0$", shown)
  end)
end)

describe("the comparison of two sides", function()
  local function rows(times)
    local list = {}
    for case, best in pairs(times) do
      list[#list + 1] = { bench = "core", case = case, memory = "warm", items = 10, best_ns = best }
    end
    return list
  end

  it("are compared by the median ratio of the turns, with the lowest and the highest", function()
    local both, alone = comparison.of {
      { base = rows { add = 10 }, here = rows { add = 20 } },
      { base = rows { add = 40 }, here = rows { add = 20 } },
      { base = rows { add = 10 }, here = rows { add = 30 } },
    }
    assert.equal(1, #both)
    local add = both[1]
    assert.are.same({ 10, 20, 2, 0.5, 3 }, { add.base_ns, add.here_ns, add.ratio, add.lowest, add.highest })
    assert.matches("core: add%s+warm%s+10%s+10.00%s+20.00%s+2.00%s+0.50 to 3.00$", comparison.shown(add))
    assert.are.same({ base = {}, here = {} }, alone)
  end)

  it("are marked if all turns agree", function()
    local function shown(base, here)
      return comparison.shown(comparison.of({ { base = rows { add = base }, here = rows { add = here } } })[1])
    end
    assert.matches("  faster$", shown(10, 9))
    assert.matches("  SLOWER$", shown(9, 10))
    assert.matches("%d$", shown(10, 10))
  end)

  it("list the cases that only one of them has", function()
    local both, alone = comparison.of { { base = rows { add = 1, old = 1 }, here = rows { add = 1, new = 1 } } }
    assert.equal(1, #both)
    assert.are.same({ base = { "core: old, warm, 10" }, here = { "core: new, warm, 10" } }, alone)
  end)
end)
