-- Ends of objects, modules and states: in every order, in every callback and finalizer, with calls of everything that
-- can be called there (spec/support/endings.lua). Nothing crashes, and no invariant breaks.

-- tags: interpreters unix

local command_line = require "spec.support.command_line"
local endings = require "spec.support.endings"
local finalizer_errors = require "spec.support.finalizer_errors"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local build = os.getenv "CUTTLE_BUILD" or "build/test"

-- Lua 5.1 never finalizes objects that finalizers make while it closes a state. A world among them keeps its whole
-- EntityManager, with its records of deaths, which a sanitizer would report.
local NO_LEAKS = "ASAN_OPTIONS=detect_leaks=0 "

-- Runs Lua code in a new process of the same interpreter. Returns the output and the exit status.
local function run(code, before)
  local paths = ("package.path, package.cpath = %q, %q "):format("./?.lua;" .. package.path, package.cpath)
  local pipe = io.popen(("%s%s -e %s 2>&1; echo status $?"):format(before or "", command_line.interpreter(),
    command_line.quoted(paths .. code)))
  local text, status = pipe:read("*a"):match "^(.*)status (%d+)\n$"
  pipe:close()
  return (finalizer_errors.without(text)), tonumber(status)
end

local function check_plays(name, ...)
  local call = ("require 'spec.support.endings'.%s(%s)"):format(name, table.concat({ ... }, ", "))
  local text, status = run(call, NO_LEAKS)
  assert.are.same({ "in order\n", 0 }, { text, status }, call)
end

describe("unreferenced objects, seed " .. seed .. ",", function()
  it("are collected in any order while callbacks and finalizers call everything", function()
    check_plays("collect", seed, rounds(4, 1))
  end)

  it("are collected in every order", function()
    check_plays("permute", seed)
  end)
end)

describe("a state that closes with all objects alive, seed " .. seed .. ",", function()
  it("survives all calls of callbacks and finalizers, and os.exit during them", function()
    for round = 1, rounds(16, 4) do check_plays("close", seed + round) end
  end)

  it("survives os.exit(code, true) in each kind of callback and loop", function()
    for number = 1, endings.scenes do
      local text, status = run(("require 'spec.support.endings'.exit(%d)"):format(number), NO_LEAKS)
      assert.are.same({ "", 7 }, { text, status }, "endings.exit(" .. number .. ")")
    end
  end)
end)

describe("a second module in one state", function()
  local copy

  setup(function()
    copy = os.tmpname()
    assert(os.execute(("cp %s/cuttle/core.so %s"):format(build, copy)))
  end)

  teardown(function() os.remove(copy) end)

  -- `first` and `second` are complete modules with worlds; `use` calls everything in both with objects of both.
  local TWO = [[
    local first = require "cuttle"
    for name in pairs(package.loaded) do if name:find "^cuttle" then package.loaded[name] = nil end end
    package.loaded["cuttle.core"] = assert(package.loadlib(%q, "luaopen_cuttle_core"))()
    local second = require "cuttle"
    assert(first ~= second and first.entity_manager ~= second.entity_manager)
    local function play(cuttle)
      local s = { entities = cuttle.entity_manager() }
      s.world = cuttle.world(s.entities)
      s.health = s.world:define("health", { { "hp", "float" }, { "bag", "value" } })
      s.list = cuttle.list(s.world:create({ health = { hp = 1 }, transform = {} }, 3))
      s.resource = cuttle.resource((assert(cuttle.compiler(s.world):compile { entities = { {
        components = { health = { hp = 2 } } } } })))
      s.level = assert(s.world:spawn(s.resource))
      s.snapshot = s.entities:snapshot()
      s.column = s.health:column "hp"
      for row in s.world:rows "health" do s.column[row] = s.column[row] + 1 end
      return s
    end
    a, b = play(first), play(second)
    local calls = require "spec.support.endings_calls"
    local kinds = { "entities", "world", "health", "list", "resource", "level", "snapshot" }
    function use()
      for _, kind in ipairs(kinds) do
        for _, own in ipairs { a, b } do
          for _, call in ipairs(calls.of(kind, own[kind])) do
            for _, other in ipairs { a, b } do
              for _, argument in ipairs(kinds) do
                pcall(call.f, other[kind], other[argument])
                pcall(call.f, own[kind], other[argument], other[argument])
              end
            end
          end
        end
      end
    end
  ]]

  it("from a copy of the file has its own objects, which the first one refuses", function()
    local text, status = run(TWO:format(copy) .. [[
      assert(a.world:validate() and b.world:validate())
      assert(not pcall(first.world, b.entities) and not pcall(second.world, a.entities))
      assert(not pcall(a.world.spawn, a.world, b.resource) and not pcall(a.entities.destroy, a.entities, b.list))
      assert(not pcall(a.entities.restore, a.entities, b.snapshot))
      assert(a.column[0] == 2 and b.column[0] == 2 and a.health:count() == 4)
      print "done"
    ]])
    assert.are.same({ "done\n", 0 }, { text, status })
  end)

  it("survives calls of everything with objects of both, also while the state closes", function()
    local text, status = run("first_made = newproxy(true) " .. TWO:format(copy)
      .. "getmetatable(first_made).__gc = use use() print 'done'", NO_LEAKS)
    assert.are.same({ "done\n", 0 }, { text, status })
  end)
end)
