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
  :gsub('{ "name": "quay"', '{ "name": "boat", "components": {} }, %0')

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

  it("has no function that the spec's program does not call", function()
    local program = file.read "spec/hosts/host_api.c"
    for _, name in ipairs(functions()) do assert.is_not_nil(program:find(name .. "%("), name) end
  end)
end)

describe("the archive of the core", function()
  it("defines all functions of the header, and the shared library exports only these", function()
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
  it("calls all functions, and wrong arguments, stale handles and missing memory do no harm", function()
    local older, newer = host_program.level(LEVEL), host_program.level(NEWER)
    local output = host_program.output("spec/hosts/host_api.c", older, newer)
    os.remove(older)
    os.remove(newer)
    assert.equal("0 mistakes\n", output)
  end)

  it("records frames and goes back", function()
    assert.equal([[
the ball is at 600, 100 frames are recorded
125 frames back
the ball is at 475, 80 frames are recorded
]], host_program.output "examples/embed/rewind.c")
  end)

  it("replicates a world to another entity manager", function()
    assert.equal([[
the client is at frame 1
the ball is at 1.00
the client is at frame 3
the ball is at 3.14
1 value back, the ball is at 3.14
the message is damaged
the client is at frame 4
0 entities
]], host_program.output "examples/embed/replication.c")
  end)

  for _, language in ipairs { { "c99", "CC", "cc", ".c" }, { "c++17", "CXX", "c++", ".cpp" } } do
    it("is the one of docs/hosts.md, which runs as " .. language[1], function()
      if language[2] == "CXX" and not plugins.has_cxx() then return pending "needs a C++ compiler" end
      local expected = assert(file.read("docs/hosts.md"):match "\n```text\n(.-)```\n")
      local program, level = os.tmpname(), host_program.level(LEVEL)
      local path = program .. language[4]
      file.write(path, file.read "examples/embed/host.c")
      local compiler = os.getenv(language[2]) or language[3]
      local sanitizers = BUILD:find "asan$" and "-fsanitize=address,undefined" or ""
      local done, output = host_program.run(("%s -std=%s -pedantic-errors -Wall -Wextra -Werror %s -Isrc %s %s -o %s")
        :format(compiler, language[1], sanitizers, path, host_program.archives(), program))
      if done then done, output = host_program.run(program .. " " .. level) end
      for _, name in ipairs { program, path, level } do os.remove(name) end
      assert.equal(expected, output)
      assert.is_true(done)
    end)
  end
end)
