-- tags: around

local house = require "spec.support.house"
local tree = require "spec.support.tree"

-- The sources by their paths.
local function read_sources()
  local files = {}
  for _, path in ipairs(tree.files "src") do
    if path:find "%.[ch]$" then files[path] = tree.read(path) end
  end
  return files
end

local OPENING = "// A made-up file. Knows nothing of others.\n"

-- A house without fault: one file on every floor, each standing on those below.
local function sound_house()
  return {
    ["src/cuttle.h"] = "// The public header. Knows nothing of the rooms.\n#include <stdint.h>\n",
    ["src/base/alloc.h"] = OPENING .. "void *ct_alloc(int bytes);\n",
    ["src/base/alloc.c"] = OPENING .. '#include "base/alloc.h"\n#include <stdlib.h>\n'
      .. "static void helper(void) {\n    free(0);\n}\nvoid *ct_alloc(int bytes) {\n    return malloc(bytes);\n}\n",
    ["src/entity/entity.h"] = OPENING .. "static inline int ct_entity_index(int id) {\n    return id;\n}\n",
    ["src/storage/store.c"] = OPENING .. '#include "base/alloc.h"\n#include "entity/entity.h"\n',
    ["src/component/mesh.h"] = OPENING,
    ["src/component/mesh.c"] = OPENING .. '#include "component/mesh.h"\n#include "base/alloc.h"\n',
    ["src/component/actor.h"] = OPENING,
    ["src/world/world.h"] = OPENING .. '#include "component/mesh.h"\n',
    ["src/resource/resource.c"] = OPENING .. '#include "world/world.h"\n',
    ["src/bind/value/check.h"] = OPENING .. "#include <lua.h>\n#include <stdio.h>\n",
    ["src/bind/world/world.h"] = OPENING .. '#include "bind/value/check.h"\n#include "world/world.h"\n',
    ["src/bind/module/module.c"] = OPENING .. '#include "bind/world/world.h"\n#include "cuttle.h"\n'
      .. '__attribute__((visibility("default"))) int luaopen_cuttle_core(lua_State *L) {\n    return 0;\n}\n',
  }
end

describe("the house", function()
  local files = read_sources()

  it("has sources to look at", function()
    assert.is_not_nil(next(files))
  end)

  local paths = {}
  for path in pairs(files) do paths[#paths + 1] = path end
  table.sort(paths)

  for _, path in ipairs(paths) do
    it("has its rules kept by " .. path, function()
      assert.are.same({}, house.check_file(files, path))
    end)
  end
end)

describe("the sources", function()
  local files = read_sources()

  it("do not go in circles, but for those of a component whose header says so", function()
    local circles = {}
    for _, circle in ipairs(house.circles(files)) do
      if not house.is_one_component(files, circle) then
        circles[#circles + 1] = table.concat(circle, " ")
      end
    end
    assert.are.same({}, circles)
  end)

  -- A ratchet: lines that are added to the binding need as many that are removed from it.
  it("have a thin binding", function()
    local function is_bind(path) return path:find "^src/bind/" ~= nil end
    local binding = house.count_code(files, is_bind)
    assert.is_true(binding <= 10517, ("%d lines of code in src/bind"):format(binding))
  end)
end)

describe("the specs", function()
  it("measure no time: that is for benches, beside something of the same run", function()
    local clock, timed = "os." .. "clock", {}
    for _, path in ipairs(tree.files "spec") do
      local is_lua = path:find "%.lua$" and path ~= "spec/support/seed.lua"
      if is_lua and tree.read(path):find(clock, 1, true) then timed[#timed + 1] = path end
    end
    assert.are.same({}, timed)
  end)
end)

describe("the Lua files", function()
  -- The lines of a text that assign to the control variable of a loop. Loops are found by their indentation.
  local function assigned(text)
    local found, loops = {}, {}
    for line in text:gmatch "[^\n]+" do
      local indent = #line:match "^ *"
      while #loops > 0 and indent <= loops[#loops].indent do loops[#loops] = nil end
      local variable = line:match "^ *for ([%w_]+)"
      if variable then loops[#loops + 1] = { indent = indent, variable = variable } end
      local body = (variable and line:match "( do .*)" or variable and "" or line):gsub("%b{}", "")
      for _, loop in ipairs(loops) do
        local statement = " %f[%w_]" .. loop.variable .. "%f[ ,][%w_%., ]* = "
        for _, before in ipairs { "^ *", " do", " then", " else" } do
          if body:find(before .. statement) then found[#found + 1] = line end
        end
      end
    end
    return found
  end

  it("assign to no control variable of a loop, which Lua 5.5 refuses", function()
    local paths = tree.files "lua"
    paths[#paths + 1] = "bin/cuttle"
    for _, path in ipairs(paths) do assert.are.same({}, assigned(tree.read(path)), path) end
  end)

  it("are read with care for such assignments", function()
    local loop = "for key, value in each, list do\n  %s\nend\nkey = 1\n"
    for _, line in ipairs { "key = 2", "key, value = 2, 3", "if value then key = 2 end" } do
      assert.are.same({ "  " .. line }, assigned(loop:format(line)))
    end
    for _, line in ipairs { "value = 2", "local key = 2", "list.key = 2", "make { key = 2 }", "if key == 2 then" } do
      assert.are.same({}, assigned(loop:format(line)))
    end
    assert.are.same({ "for i = 1, 9 do i = i + 1 end" }, assigned "for i = 1, 9 do i = i + 1 end")
  end)
end)

describe("the house rules", function()
  it("find no fault in a sound house", function()
    assert.are.same({}, house.check(sound_house()))
  end)

  -- What a house is told when one of its files gets this text added, or, with replaces, is this text.
  local function complaints(path, text, replaces)
    local files = sound_house()
    files[path] = replaces and text or (files[path] or OPENING) .. text
    return table.concat(house.check(files), "\n")
  end

  local function are_broken_by(name, path, text, message, replaces)
    it("are broken by " .. name, function()
      assert.are.equal(path .. ": " .. message, complaints(path, text, replaces))
    end)
  end

  local function allow(name, path, text, replaces)
    it("allow " .. name, function()
      assert.are.equal("", complaints(path, text, replaces))
    end)
  end

  are_broken_by("an include of a higher floor", "src/storage/store.c", '#include "component/mesh.h"\n',
    "includes component/mesh.h: floor 2 looks up to floor 3")
  are_broken_by("an include in unusual spacing", "src/base/alloc.c", '  #  include  "entity/entity.h"\n',
    "includes entity/entity.h: floor 0 looks up to floor 1")
  are_broken_by("a component that includes another", "src/component/mesh.c", '#include "component/actor.h"\n',
    "includes component/actor.h: components never include one another")
  are_broken_by("a resource that knows a component by name", "src/resource/resource.c", '#include "component/mesh.h"\n',
    "includes component/mesh.h: levels know components by the slots of their types")
  allow("a component in several files", "src/component/mesh_bounds.c", '#include "component/mesh.h"\n')
  are_broken_by("an include relative to the file", "src/base/alloc.c", '#include "alloc.h"\n',
    "includes alloc.h, which is not below src")
  are_broken_by("a public header that needs a room", "src/cuttle.h", '#include "base/alloc.h"\n',
    "includes base/alloc.h: the public header stands alone")
  allow("the public header below every floor", "src/base/alloc.c", '#include "cuttle.h"\n')
  are_broken_by("Lua in the core", "src/world/world.h", "#include <lua.h>\n", "includes lua.h: only bind knows Lua")
  are_broken_by("Lua in quotes in the core", "src/resource/resource.c", '#include "lauxlib.h"\n',
    "includes lauxlib.h: only bind knows Lua")
  are_broken_by("stdio in the core", "src/base/alloc.c", "#include <stdio.h>\n",
    "includes stdio.h: the core does not speak to the outside")
  are_broken_by("exit in the core", "src/base/alloc.c", "static void stop(void) {\n    exit(1);\n}\n",
    "uses exit: the core does not speak to the outside")
  allow("the word exit in a comment and in a string", "src/base/alloc.c",
    '// exit, printf\n/* errno */\nstatic const char *text = "exit \\" printf";\n')
  allow("stdio in bind", "src/bind/module/module.c", "#include <stdio.h>\nstatic void say(void) {\n    printf();\n}\n")

  are_broken_by("a room of the binding that looks up", "src/bind/value/check.h", '#include "bind/world/world.h"\n',
    "includes bind/world/world.h: floor 7 looks up to floor 7.3")
  are_broken_by("a room of the binding that does not exist", "src/bind/misc/check.h", OPENING,
    "stands in no room of the house", true)

  it("find circles of sources, through functions and tables", function()
    local sources = sound_house()
    assert.are.same({}, house.circles(sources))
    sources["src/base/a.c"] = "int ct_a(int n) {\n    return ct_b(n);\n}\n"
    sources["src/base/b.c"] = "static int ct_x(void) {}\nint ct_b(int n) {\n    return ct_table[n];\n}\n"
    sources["src/base/c.c"] = "const int ct_table[] = {1};\n"
    assert.are.same({}, house.circles(sources))
    sources["src/base/c.c"] = "const fn *const ct_table[] = {ct_a};\n"
    assert.are.same({ { "src/base/a.c", "src/base/b.c", "src/base/c.c" } }, house.circles(sources))
    assert.is_false(house.is_one_component(sources, house.circles(sources)[1]))
  end)

  it("allow circles of one component whose header says so", function()
    local sources = sound_house()
    sources["src/component/mesh.c"] = "int ct_mesh_a(int n) {\n    return ct_mesh_b(n);\n}\n"
    sources["src/component/mesh_more.c"] = "int ct_mesh_b(int n) {\n    return ct_mesh_a(n);\n}\n"
    local circle = house.circles(sources)[1]
    assert.is_false(house.is_one_component(sources, circle))
    sources["src/component/mesh.h"] = OPENING .. "// Its files call one another: a and b go up and down.\n"
    assert.is_true(house.is_one_component(sources, circle))
  end)

  it("count lines of code", function()
    assert.equal(3, house.count_code({ a = "// x\nint a; // y\n\n/* z\n z */ int b;\n#define C\n", b = "int c;\n" },
      function(path) return path == "a" end))
  end)

  are_broken_by("a room that does not exist", "src/misc/alloc.h", OPENING, "stands in no room of the house", true)
  are_broken_by("a second file outside the rooms", "src/other.h", OPENING, "stands in no room of the house", true)

  are_broken_by("a file without an opening", "src/component/actor.h", "int ct_x(void);\n",
    "does not open with a sentence that says what it is", true)
  are_broken_by("an opening that is no sentence", "src/component/actor.h", "// actor\nint ct_x(void);\n",
    "does not open with a sentence that says what it is", true)
  are_broken_by("a header without what it must not depend on", "src/component/actor.h", "// Actors. They move.\n",
    "does not say at its opening what it must not depend on", true)
  allow("an opening in several lines", "src/component/actor.h",
    "// Actors of a world.\n//\n// It knows no\n// Lua.\n", true)
  allow("a block comment as opening", "src/component/actor.h", "/* Actors. It does not know Lua. */\n", true)

  are_broken_by("a long source", "src/storage/store.c", OPENING .. ("\n"):rep(400),
    "has 401 lines, more than 400, and no reason at the top ('Longer than ...')", true)
  are_broken_by("a long header", "src/component/actor.h", OPENING .. ("\n"):rep(150),
    "has 151 lines, more than 150, and no reason at the top ('Longer than ...')", true)
  allow("a long file with its reason", "src/storage/store.c",
    "// Stores. Knows nothing of Lua.\n// Longer than 400 lines: one state machine.\n" .. ("\n"):rep(400), true)

  local function of_lines(count)
    return "static int f(int a,\n    int b) {\n" .. ("    a++;\n"):rep(count - 3) .. "}\n"
  end
  are_broken_by("a long function", "src/storage/store.c", of_lines(46), "function f has 46 lines, more than 45")
  allow("long functions one after another", "src/storage/store.c", of_lines(45) .. "int ct_x(void);\n" .. of_lines(45))
  allow("a long table", "src/storage/store.c", "static const int table[] = {\n" .. ("    1,\n"):rep(50) .. "};\n")

  are_broken_by("unfinished work", "src/base/alloc.c", "// TODO later\n", "contains TODO")

  are_broken_by("a public function without prefix", "src/base/alloc.c", "int reserve(int n) {\n    return n;\n}\n",
    "function reserve does not begin with ct_")
  are_broken_by("a public function after a struct", "src/component/actor.h",
    "typedef struct ct_actor {\n    int (*call)(void);\n} ct_actor;\nct_actor *make(int n);\n",
    "function make does not begin with ct_")
  are_broken_by("a header's inline function without prefix", "src/component/actor.h",
    "static inline int row(int n) {\n    return n;\n}\n", "function row does not begin with ct_")
  are_broken_by("luaopen outside bind", "src/base/alloc.c", "int luaopen_base(int n) {\n    return n;\n}\n",
    "function luaopen_base does not begin with ct_")
  are_broken_by("a name between extern \"C\" braces", "src/cuttle.h",
    '#ifdef __cplusplus\nextern "C" {\n#endif\nint get(void);\n#ifdef __cplusplus\n}\n#endif\n',
    "function get does not begin with ct_")
  are_broken_by("a verb that says nothing", "src/base/alloc.h", "void ct_alloc_update(void);\n",
    "function ct_alloc_update: 'update' says nothing")
  are_broken_by("a do_ in a name", "src/base/alloc.h", "void ct_do_alloc(void);\n",
    "function ct_do_alloc: 'do' says nothing")
  are_broken_by("a file for this and that", "src/base/util.h", OPENING, "file name: 'util' says nothing", true)
  allow("words that only contain such a verb", "src/base/alloc.h", "void ct_undo_updated(void);\n")
  allow("function pointers, calls and macros at file level", "src/base/alloc.c",
    "_Static_assert(sizeof(int) == 4, \"int\");\nstatic int (*const call)(int) = 0;\nconst int ct_x = sizeof(int);\n")
end)
