-- cuttle_host.h: every function, its documentation, what the shared library exports, and the program of docs/hosts.md.

-- tags: once

local file = require "spec.support.file"
local host_program = require "spec.support.host_program"
local plugins = require "spec.support.plugins"

local HEADER = file.read "src/cuttle_host.h"
local BUILD = os.getenv "CUTTLE_BUILD" or "build/test"

-- The names of the functions, in the order of the header.
local function functions()
  local names = {}
  for name in HEADER:gmatch "CT_HOST_API[^;]-(ct_host_[%w_]+)%(" do names[#names + 1] = name end
  return names
end

local LEVEL = file.read "examples/embed/level.json"
local NEWER = LEVEL:gsub('"mass": 80', '"mass": 90')
  :gsub('{ "name": "quay"', '{ "name": "boat", "components": { "transform": {} } }, %0')

describe("the header for hosts", function()
  it("describes each function, in a comment that begins with a verb", function()
    local comment, described = "", 0
    for line in HEADER:gmatch "([^\n]*)\n" do
      if line:find "^CT_HOST_API" then
        assert.matches("^/// %u%l+", comment, line)
        described = described + 1
      end
      comment = line:find "^///" and (comment == "" and line or comment) or ""
    end
    assert.is_true(described >= 40)
    assert.equal(#functions(), described)
  end)

  it("has no function that exists only in the header", function()
    assert.is_nil(HEADER:find("static", 1, true))
  end)

  it("has no function that the programs of this spec do not call", function()
    local program = ""
    for _, name in ipairs { "api", "hooks", "parts" } do
      program = program .. file.read(("spec/hosts/host_%s.c"):format(name))
    end
    for _, name in ipairs(functions()) do assert.is_not_nil(program:find(name .. "%("), name) end
  end)
end)

describe("the archive of the core", function()
  it("defines all functions of the header, and the shared library exports only these", function()
    if BUILD:find "coverage$" then return pending "a build that counts lines exports functions of gcc" end
    local library = os.tmpname()
    local done, message = host_program.run(
      ("%s -shared -o %s -Wl,--whole-archive %s/libcuttle.a -Wl,--no-whole-archive -lm"):format(
      host_program.compile_command(), library, BUILD))
    assert.is_true(done, message)
    local _, symbols = host_program.run("nm -D --defined-only " .. library)
    os.remove(library)
    local exported = {}
    for name in symbols:gmatch " [TDBR] (%S+)" do exported[#exported + 1] = name end
    local expected = functions()
    table.sort(exported)
    table.sort(expected)
    assert.same(expected, exported)
  end)
end)

describe("a program with cuttle_host.h", function()
  local older, newer

  setup(function() older, newer = host_program.level(LEVEL), host_program.level(NEWER) end)
  teardown(function()
    os.remove(older)
    os.remove(newer)
  end)

  local function prints(source, text, ...)
    assert.equal(text, host_program.output(source, ...))
  end

  -- Compiles a program with warnings as errors in a standard of C or C++, and compares its output.
  local function prints_in(standard, source, text, ...)
    local cxx = standard:find("c++", 1, true)
    if cxx and not plugins.has_cxx() then return pending "needs a C++ compiler" end
    local program = os.tmpname()
    local compiler = cxx and (os.getenv "CXX" or "c++") .. " -x c++" or os.getenv "CC" or "cc"
    local flags = BUILD:find "asan$" and "-fsanitize=address,undefined" or BUILD:find "coverage$" and "--coverage" or ""
    local done, output = host_program.run(("%s -std=%s -pedantic-errors -Wall -Wextra -Werror %s -Isrc %s%s %s -o %s")
      :format(compiler, standard, flags, source, cxx and " -x none" or "", host_program.archives(), program))
    host_program.note(program)
    if done then done, output = host_program.run(table.concat({ program, ... }, " ")) end
    os.remove(program)
    assert.equal(text, output)
    assert.is_true(done)
  end

  it("calls all functions, and wrong arguments, stale handles and missing memory do no harm", function()
    prints("spec/hosts/host_api.c", "0 mistakes\n", older, newer)
  end)

  it("has hooks, which see each component once, refuse a call, and change entities", function()
    prints("spec/hosts/host_hooks.c", "0 mistakes\n", older, newer)
    prints_in("c++17", "spec/hosts/host_hooks.c", "0 mistakes\n", older, newer)
  end)

  it("has models, grids, states of levels, captured entities, ids and names", function()
    prints("spec/hosts/host_parts.c", "0 mistakes\n", older)
    prints_in("c++17", "spec/hosts/host_parts.c", "0 mistakes\n", older)
  end)

  it("keeps data of its own for components by hooks", function()
    prints("examples/embed/hooks.c", [[
2 bodies
point_mass: an on_add hook refused entity(3:0)
2 bodies
1 body
0 bodies
]])
  end)

  it("records frames and goes back", function()
    prints("examples/embed/rewind.c", [[
the ball is at 600, 100 frames are recorded
125 frames back
the ball is at 475, 80 frames are recorded
]])
  end)

  it("replicates a world to another entity manager", function()
    prints("examples/embed/replication.c", [[
the client is at frame 1
the ball is at 1.00
the client is at frame 3
the ball is at 3.14
1 value back, the ball is at 3.14
the message is damaged
the client is at frame 4
0 entities
]])
  end)

  for _, standard in ipairs { "c99", "c++17" } do
    it("is the one of docs/hosts.md, which runs as " .. standard, function()
      local expected = assert(file.read("docs/hosts.md"):match "\n```text\n(.-)```\n")
      prints_in(standard, "examples/embed/host.c", expected, older)
    end)
  end
end)
