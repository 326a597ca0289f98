-- The benches as programs: C and Lua print the same rows, a run writes them to a file, and errors are reported.

-- tags: unix

local folders = require "spec.support.folder"
local host_program = require "spec.support.host_program"
local interpreter = require("spec.support.command_line").interpreter
local quoted = require("spec.support.command_line").quoted
local harness = require "bench.harness"
local results = require "bench.results"

-- Reports three cases with their limits, as a C bench does.
local PROGRAM = [[
#include "harness.h"

int main(int argc, char **argv) {
    double times[4] = {8, 2, 6, 3}, limits[4] = {4, 1, 2, 3};
    open_bench("made", argc, argv);
    result limit = {.name = "limit, alone", .items = 10, .times = limits, .rounds = 4};
    report(&limit);
    report(&(result){.name = "add", .cold = true, .items = 10, .times = times, .rounds = 4,
                     .limit = "limit, alone", .bytes = 7.5});
    report(&(result){.name = "get", .items = 20, .times = times, .rounds = 4, .limit = "in turns",
                     .limit_times = limits});
    return rounds_for(10) != (the_bench.quick ? 1 : 15);
}
]]

describe("a bench in C", function()
  local folder, program

  setup(function()
    folder = folders.new()
    program = host_program.compile(folder:write("made.c", PROGRAM), "-Ibench")
  end)
  teardown(function()
    os.remove(program)
    folder:remove()
  end)

  local function rows_of(options)
    local done, output = host_program.run(program .. options)
    assert.is_true(done, output)
    local rows = {}
    for line in output:gmatch "[^\n]+" do rows[#rows + 1] = assert(results.row(results.RESULT, line), line) end
    return rows
  end

  it("prints the same rows as a bench in Lua for the same samples", function()
    local limit, add, get = unpack(rows_of "")
    local times, limits = { 2, 3, 6, 8 }, { 1, 2, 3, 4 }
    assert.are.same({ bench = "made", case = "limit, alone", memory = "warm", items = 10, rounds = 4,
      median_ns = harness.median(limits), best_ns = 1, spread = harness.spread(limits), bytes = 0, garbage = 0 }, limit)
    assert.are.same({ "cold", harness.median(times), 2, "limit, alone", 1, 2, 7.5 },
      { add.memory, add.median_ns, add.best_ns, add.limit, add.limit_ns, add.x_limit, add.bytes })
    assert.is_true(math.abs(add.spread - harness.spread(times)) < 0.001)
    assert.are.same({ "in turns", 1, 2 }, { get.limit, get.limit_ns, get.x_limit })
  end)

  it("prints no times if it only checks results", function()
    for _, row in ipairs(rows_of " --quick") do assert.is_nil(row.median_ns) end
  end)

  it("refuses other options", function()
    local done, output = host_program.run(program .. " --fast")
    assert.is_false(done)
    assert.equal("bench: options: --quick, --rounds N\n", output)
  end)
end)

describe("a run of benches", function()
  local folder

  before_each(function()
    folder = folders.new()
    folder:make "bench"
    for _, name in ipairs { "run", "commands", "measure", "harness", "results" } do
      local file = assert(io.open("bench/" .. name .. ".lua"))
      folder:write("bench/" .. name .. ".lua", file:read "*a")
      file:close()
    end
  end)
  after_each(function() folder:remove() end)

  local function run(arguments)
    local line = ("cd %s && %s bench/run.lua %s"):format(quoted(folder.path), interpreter(), arguments)
    return host_program.run("sh -c " .. quoted(line))
  end

  local function bench(name, answer)
    folder:write("bench/" .. name .. "_bench.lua", ([[
      return function(bench)
        bench.case { name = "add, one", items = 2, run = function() return %s end, expect = 1 }
        bench.note "a remark"
      end
    ]]):format(answer))
  end

  it("prints a table and keeps the rows with commit, machine and flags", function()
    bench("made", 1)
    local done, output = run("--rounds 3 --flags '-O3, fast' --commit abc --out kept.csv")
    assert.is_true(done, output)
    assert.matches("\nmade +items +median ns +best ns +spread +x limit +bytes +garbage B\nadd, one +warm +2 ", output)
    assert.matches("\n# a remark\n", output)
    local rows = assert(results.read(folder:at "kept.csv"))
    assert.equal(1, #rows)
    local row = rows[1]
    assert.are.same({ "abc", "-O3, fast", "made", "add, one", "warm", 2, 3 },
      { row.commit, row.flags, row.bench, row.case, row.memory, row.items, row.rounds })
    assert.matches("^%d%d%d%d%-%d%d%-%d%d$", row.date)
    assert.is_true(#row.machine > 0 and #row.host > 0)
  end)

  it("names a bench with a wrong result, runs the others, and fails", function()
    bench("bad", 2)
    bench("good", 1)
    local done, output = run("--quick")
    assert.is_false(done)
    assert.matches("add, one: wrong result 2", output)
    assert.matches("right  add, one, warm, 2\n", output)
    assert.matches("failed: bad\n$", output)
  end)

  it("lists all benches if there is none with the given name", function()
    bench("made", 1)
    local done, output = run("mode")
    assert.is_false(done)
    assert.equal("no bench 'mode'; benches: made\n", output)
  end)

  it("refuses files that are not results", function()
    folder:write("other.csv", "a,b\n1,2\n")
    local rows, message = results.read(folder:at "other.csv")
    assert.is_nil(rows)
    assert.equal(folder:at "other.csv" .. ":1: not a line of bench results", message)
  end)
end)

describe("bench-compare", function()
  local function reports(message, arguments)
    local done, output = host_program.run(("%s bench/compare.lua %s"):format(interpreter(), arguments))
    assert.is_false(done)
    assert.equal("bench-compare: " .. message .. "\n", output)
  end

  it("reports wrong arguments", function()
    reports("expected a commit: make bench-compare BASE=commit", "")
    reports("expected a commit: make bench-compare BASE=commit", "--base ''")
    reports("BASE=no-such-thing is not a commit of this repository", "--base no-such-thing")
    reports("BASE=--all is not a commit of this repository", "--base --all")
    reports("TURNS=none: expected a number of turns", "--base HEAD --turns none")
  end)
end)
