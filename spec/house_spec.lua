-- The rules for source files, and the checks for them in spec/support/house.lua.

-- tags: around once

local house = require "spec.support.house"
local tree = require "spec.support.tree"

-- Path -> text of the source files.
local function read_sources()
  local files = {}
  for _, path in ipairs(tree.files "src") do
    if path:find "%.[ch]$" then files[path] = tree.read(path) end
  end
  return files
end

local OPENING = "// A made-up file. It must not depend on other files.\n"

-- Sources without violations: one file in every folder, each including only lower layers.
local function valid_sources()
  return {
    ["src/cuttle.h"] = "// The public header. It must not depend on the folders.\n#include <stdint.h>\n",
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

describe("the sources", function()
  local files = read_sources()

  it("exist", function()
    assert.is_not_nil(next(files))
  end)

  local paths = {}
  for path in pairs(files) do paths[#paths + 1] = path end
  table.sort(paths)

  for _, path in ipairs(paths) do
    it("comply with the rules in " .. path, function()
      assert.are.same({}, house.check_file(files, path))
    end)
  end
end)

describe("the sources", function()
  local files = read_sources()

  it("do not go in circles, but for those of a component whose header says so", function()
    local cycles = {}
    for _, cycle in ipairs(house.cycles(files)) do
      if not house.is_one_component(files, cycle) then
        cycles[#cycles + 1] = table.concat(cycle, " ")
      end
    end
    assert.are.same({}, cycles)
  end)

  -- The limit is only lowered: from 0.52 to 0.49 in November 2026, when the core got queries, formulas and spaces.
  it("define the types of all headers under different names, for the amalgamation", function()
    local defined, twice = {}, {}
    for path, text in pairs(files) do
      for name in (path:find "%.h$" and text or ""):gmatch "\n} ([%w_]+);" do
        if (defined[name] or path) ~= path then twice[#twice + 1] = name end
        defined[name] = path
      end
    end
    assert.are.equal("src/level/recorder.h", defined.ct_recorder)
    assert.are.same({}, twice)
  end)

  it("have a thin binding", function()
    local function is_bind(path) return path:find "^src/bind/" ~= nil end
    local binding = house.count_code(files, is_bind)
    local core = house.count_code(files, function(path) return path:find "^src/" ~= nil and not is_bind(path) end)
    assert.is_true(binding <= 0.49 * core, ("%d lines of code in src/bind, %d in the core"):format(binding, core))
  end)
end)

describe("the specs", function()
  it("do not measure time, which only benches do, relative to another time of the same run", function()
    local clock, timed = "os." .. "clock", {}
    for _, path in ipairs(tree.files "spec") do
      local is_lua = path:find "%.lua$" and path ~= "spec/support/seed.lua"
      if is_lua and tree.read(path):find(clock, 1, true) then timed[#timed + 1] = path end
    end
    assert.are.same({}, timed)
  end)
end)

describe("the Lua files", function()
  -- The lines of a text that assign to a loop's control variable. Loops are found by their indentation.
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

  it("are searched for such assignments", function()
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

describe("the rules for sources", function()
  it("find no violation in valid sources", function()
    assert.are.same({}, house.check(valid_sources()))
  end)

  -- The violations that are found if one of the files gets this text added or, with replaces, has this text.
  local function violations(path, text, replaces)
    local files = valid_sources()
    files[path] = replaces and text or (files[path] or OPENING) .. text
    return table.concat(house.check(files), "\n")
  end

  local function reject(name, path, text, message, replaces)
    it("reject " .. name, function()
      assert.are.equal(path .. ": " .. message, violations(path, text, replaces))
    end)
  end

  local function allow(name, path, text, replaces)
    it("allow " .. name, function()
      assert.are.equal("", violations(path, text, replaces))
    end)
  end

  reject("an include of a higher layer", "src/storage/store.c", '#include "component/mesh.h"\n',
    "includes component/mesh.h: layer 2 depends on layer 3")
  reject("an include in unusual spacing", "src/base/alloc.c", '  #  include  "entity/entity.h"\n',
    "includes entity/entity.h: layer 0 depends on layer 1")
  reject("a component that includes another", "src/component/mesh.c", '#include "component/actor.h"\n',
    "includes component/actor.h: components never include one another")
  reject("a resource that includes a component", "src/resource/resource.c", '#include "component/mesh.h"\n',
    "includes component/mesh.h: resources access components through their types")
  allow("a component in several files", "src/component/mesh_bounds.c", '#include "component/mesh.h"\n')
  reject("an include relative to the file", "src/base/alloc.c", '#include "alloc.h"\n',
    "includes alloc.h, which is not below src")
  reject("a public header that includes another header", "src/cuttle.h", '#include "base/alloc.h"\n',
    "includes base/alloc.h: the public header includes no other")
  allow("the public header in every layer", "src/base/alloc.c", '#include "cuttle.h"\n')
  reject("Lua in the core", "src/world/world.h", "#include <lua.h>\n", "includes lua.h: only bind uses Lua")
  reject("Lua in quotes in the core", "src/resource/resource.c", '#include "lauxlib.h"\n',
    "includes lauxlib.h: only bind uses Lua")
  reject("stdio in the core", "src/base/alloc.c", "#include <stdio.h>\n",
    "includes stdio.h: the core uses no I/O")
  reject("exit in the core", "src/base/alloc.c", "static void stop(void) {\n    exit(1);\n}\n",
    "uses exit: the core uses no I/O")
  allow("the word exit in a comment and in a string", "src/base/alloc.c",
    '// exit, printf\n/* errno */\nstatic const char *text = "exit \\" printf";\n')
  allow("stdio in system", "src/system/file.c", "#include <stdio.h>\n")
  reject("Lua in system", "src/system/file.c", "#include <lua.h>\n", "includes lua.h: only bind uses Lua")
  allow("stdio in bind", "src/bind/module/module.c", "#include <stdio.h>\nstatic void say(void) {\n    printf();\n}\n")

  reject("a binding folder that includes a higher one", "src/bind/value/check.h", '#include "bind/world/world.h"\n',
    "includes bind/world/world.h: layer 7 depends on layer 7.3")
  reject("an unknown folder of the binding", "src/bind/misc/check.h", OPENING,
    "is in no known folder", true)

  it("find circles of sources, through functions and tables", function()
    local sources = valid_sources()
    assert.are.same({}, house.cycles(sources))
    sources["src/base/a.c"] = "int ct_a(int n) {\n    return ct_b(n);\n}\n"
    sources["src/base/b.c"] = "static int ct_x(void) {}\nint ct_b(int n) {\n    return ct_table[n];\n}\n"
    sources["src/base/c.c"] = "const int ct_table[] = {1};\n"
    assert.are.same({}, house.cycles(sources))
    sources["src/base/c.c"] = "const fn *const ct_table[] = {ct_a};\n"
    assert.are.same({ { "src/base/a.c", "src/base/b.c", "src/base/c.c" } }, house.cycles(sources))
    assert.is_false(house.is_one_component(sources, house.cycles(sources)[1]))
  end)

  it("allow cycles within a component whose header allows them", function()
    local sources = valid_sources()
    sources["src/component/mesh.c"] = "int ct_mesh_a(int n) {\n    return ct_mesh_b(n);\n}\n"
    sources["src/component/mesh_more.c"] = "int ct_mesh_b(int n) {\n    return ct_mesh_a(n);\n}\n"
    local circle = house.cycles(sources)[1]
    assert.is_false(house.is_one_component(sources, circle))
    sources["src/component/mesh.h"] = OPENING .. "// Its files call one another: a and b go up and down.\n"
    assert.is_true(house.is_one_component(sources, circle))
  end)

  it("count lines of code", function()
    assert.equal(3, house.count_code({ a = "// x\nint a; // y\n\n/* z\n z */ int b;\n#define C\n", b = "int c;\n" },
      function(path) return path == "a" end))
  end)

  reject("an unknown folder", "src/misc/alloc.h", OPENING, "is in no known folder", true)
  reject("a second file outside of the folders", "src/other.h", OPENING, "is in no known folder", true)

  reject("a file without a first sentence", "src/component/actor.h", "int ct_x(void);\n",
    "does not begin with a comment of one sentence", true)
  reject("a first line that is not a sentence", "src/component/actor.h", "// actor\nint ct_x(void);\n",
    "does not begin with a comment of one sentence", true)
  allow("a first comment of several lines", "src/component/actor.h",
    "// Actors of a world.\n//\n// It knows no\n// Lua.\n", true)
  allow("a block comment at the top", "src/component/actor.h", "/* Actors. It does not know Lua. */\n", true)

  reject("a source above 400 lines", "src/storage/store.c", OPENING .. ("\n"):rep(400),
    "has 401 lines, more than 400, and no reason at the top ('Longer than ...')", true)
  reject("a header above 150 lines", "src/component/actor.h", OPENING .. ("\n"):rep(150),
    "has 151 lines, more than 150, and no reason at the top ('Longer than ...')", true)
  allow("a long file with a reason", "src/storage/store.c",
    "// Stores. Knows nothing of Lua.\n// Longer than 400 lines: one state machine.\n" .. ("\n"):rep(400), true)

  local function of_lines(count)
    return "static int f(int a,\n    int b) {\n" .. ("    a++;\n"):rep(count - 3) .. "}\n"
  end
  reject("a function above 45 lines", "src/storage/store.c", of_lines(46), "function f has 46 lines, more than 45")
  allow("two functions of 45 lines", "src/storage/store.c", of_lines(45) .. "int ct_x(void);\n" .. of_lines(45))
  allow("a long table", "src/storage/store.c", "static const int table[] = {\n" .. ("    1,\n"):rep(50) .. "};\n")

  reject("unfinished work", "src/base/alloc.c", "// TODO later\n", "contains TODO")

  reject("a public function without prefix", "src/base/alloc.c", "int reserve(int n) {\n    return n;\n}\n",
    "function reserve does not begin with ct_")
  reject("a public function after a struct", "src/component/actor.h",
    "typedef struct ct_actor {\n    int (*call)(void);\n} ct_actor;\nct_actor *make(int n);\n",
    "function make does not begin with ct_")
  reject("a header's inline function without prefix", "src/component/actor.h",
    "static inline int row(int n) {\n    return n;\n}\n", "function row does not begin with ct_")
  reject("luaopen outside bind", "src/base/alloc.c", "int luaopen_base(int n) {\n    return n;\n}\n",
    "function luaopen_base does not begin with ct_")
  reject("a name between extern \"C\" braces", "src/cuttle.h",
    '#ifdef __cplusplus\nextern "C" {\n#endif\nint get(void);\n#ifdef __cplusplus\n}\n#endif\n',
    "function get does not begin with ct_")
  reject("a function name with an empty verb", "src/base/alloc.h", "void ct_alloc_update(void);\n",
    "function ct_alloc_update: 'update' is not specific")
  reject("a function name with do_", "src/base/alloc.h", "void ct_do_alloc(void);\n",
    "function ct_do_alloc: 'do' is not specific")
  reject("a file name without meaning", "src/base/util.h", OPENING, "file name: 'util' is not specific", true)
  allow("words that only contain such a verb", "src/base/alloc.h", "void ct_undo_updated(void);\n")
  allow("function pointers, calls and macros at file level", "src/base/alloc.c",
    "_Static_assert(sizeof(int) == 4, \"int\");\nstatic int (*const call)(int) = 0;\nconst int ct_x = sizeof(int);\n")
end)
