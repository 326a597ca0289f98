-- The programs of examples/embed, which contain the core or the whole module.

local cuttle = require "cuttle"
local host_program = require "spec.support.host_program"
local plugins = require "spec.support.plugins"

local function compile_level(source)
  local file = assert(io.open(source))
  local level = file:read "*a"
  file:close()
  local blob = assert(cuttle.compiler(cuttle.world(cuttle.entity_manager())):compile(level, { name = source }))
  local path = os.tmpname()
  file = assert(io.open(path, "wb"))
  file:write(blob)
  file:close()
  return path, blob
end

describe("a program without Lua", function()
  local program, level, blob

  setup(function()
    program = host_program.compile("examples/embed/main.c", host_program.archives())
    level, blob = compile_level "examples/embed/level.json"
  end)

  teardown(function()
    os.remove(program)
    os.remove(level)
  end)

  it("creates entities, simulates them, spawns a level, finds, queries, restarts and unloads", function()
    local done, output = host_program.run(program .. " " .. level)
    assert.equal([[
stone 1: 1.00 0.00 4.92
stone 2: 2.00 0.00 4.92
stone 3: 3.00 0.00 4.92
3 stones collected, 0 entities alive
4 entities spawned
0: 110.00 0.00 0.00
1: 110.00 4.00 0.00
2: 110.00 6.00 0.00
3: 100.00 0.00 0.00
the crane turns
0: 110.00 0.00 0.00
1: 106.00 0.00 0.00
2: 104.00 0.00 0.00
3: 100.00 0.00 0.00
500 kg at 104.00 0.00 0.00
restarted
500 kg at 110.00 6.00 0.00
4 entities destroyed
]], output)
    assert.is_true(done)
  end)

  it("reports the error of a damaged level", function()
    local file = assert(io.open(level, "wb"))
    file:write(blob:sub(1, 40), "damage", blob:sub(47))
    file:close()
    local done, output = host_program.run(program .. " " .. level)
    assert.is_false(done)
    assert.matches("embed: .*the resource is damaged: its checksum does not fit\n", output)
  end)
end)

describe("a program with Lua inside", function()
  local library = host_program.lua_library "static"
  if not library then
    pending "needs a static library of the interpreter"
    return
  end

  it("opens the linked module, and limits components to a budget", function()
    local program = host_program.compile("examples/embed/scripted.c", host_program.archives(true) .. " " .. library)
    local done, output = host_program.run(
      ("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH=none %s examples/embed/script.lua"):format(program))
    os.remove(program)
    assert.equal([[
1000 entities, 39000 litres
false	not enough memory
1000 entities, valid
components use memory of the budget
0 bytes of it left
]], output)
    assert.is_true(done)
  end)

  -- The file of the program precedes the same file of the archive.
  it("reads files through Lua and writes none if it was built with CT_NO_FILES", function()
    local program = host_program.compile("examples/embed/scripted.c src/system/file.c",
      "-DCT_NO_FILES " .. host_program.archives(true) .. " " .. library)
    local path = os.tmpname()
    local script = host_program.script(([[
      local cuttle, path = require "cuttle", %q
      local compiler = cuttle.compiler(cuttle.world(cuttle.entity_manager()))
      local file = assert(io.open(path, "wb"))
      file:write((assert(compiler:compile { entities = { {} } })))
      file:close()
      print(assert(cuttle.load(path)):entity_count())
      print(select(2, cuttle.report(cuttle.entity_manager(), path .. ".html")))
    ]]):format(path))
    local done, output = host_program.run(program .. " " .. script)
    local symbols = select(2, host_program.run("nm " .. program))
    for _, name in ipairs { program, script, path } do os.remove(name) end
    assert.equal("1\n" .. path .. ".html: this build writes no files (CT_NO_FILES)\n", output:match "^.-\n.-\n")
    assert.is_true(done, output)
    assert.matches(" luaopen_cuttle_core\n", symbols)
    for _, name in ipairs { "stat", "fstat", "lstat", "flock", "readlink" } do
      assert.is_nil(symbols:find(" U " .. name .. "%f[^%w]"), name)
    end
  end)
end)

describe("a program in C++", function()
  local library = host_program.lua_library "shared"
  if not library or not plugins.has_cxx() then
    pending "needs a C++ compiler and a library of the interpreter"
    return
  end

  -- The names of the functions that a header declares but does not define.
  local function declared_in(header)
    local file = assert(io.open("src/" .. header))
    local text = file:read("*a"):gsub("//[^\n]*", ""):gsub("\\\n", " "):gsub("\n[ \t]*#[^\n]*", "\n")
    file:close()
    text = text:gsub('extern "C" {', "")
    local names = {}
    for declaration in text:gsub("%b{}", ";"):gmatch "[^;]+" do
      local head, name = declaration:match "^%s*([^=(]-)(ct_[%w_]+)%s*%("
      local declares = name and head:find "%S" and not head:find "static" and not head:find "typedef"
      if declares then names[#names + 1] = name end
    end
    return names
  end

  it("includes the public headers, and links every function", function()
    local includes, functions = {}, {}
    for _, header in ipairs { "cuttle.h", "cuttle_host.h", "cuttle_lua.h" } do
      includes[#includes + 1] = ('#include "%s"'):format(header)
      for _, name in ipairs(declared_in(header)) do
        functions[#functions + 1] = ("    reinterpret_cast<any_function>(&%s),"):format(name)
      end
    end
    assert.is_true(#functions > 60)
    local source = os.tmpname()
    local file = assert(io.open(source .. ".cpp", "w"))
    file:write(table.concat(includes, "\n"), "\n", [[
typedef void (*any_function)();
extern const any_function declared[];
extern const unsigned declared_count;
const any_function declared[] = {
]], table.concat(functions, "\n"), "\n};\nconst unsigned declared_count = sizeof declared / sizeof *declared;\n")
    file:close()
    local program = host_program.compile(("%s.cpp spec/hosts/host.cpp"):format(source),
      host_program.archives(true) .. " " .. library)
    local done, output = host_program.run(program)
    os.remove(program)
    os.remove(source)
    os.remove(source .. ".cpp")
    assert.equal("core: alive, functions missing: 0\n", output)
    assert.is_true(done)
  end)
end)
