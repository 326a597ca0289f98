-- The command in a process of its own.

-- tags: once pure_lua unix

local command = require "spec.support.command"
local command_line = require "spec.support.command_line"
local cuttle = require "cuttle"
local files = require "cuttle.files"
local folders = require "spec.support.folder"
local lfs = require "lfs"

local here = lfs.currentdir()
local build = os.getenv "CUTTLE_BUILD" or "build/test"
if build:sub(1, 1) ~= "/" then build = here .. "/" .. build end

local quoted = command_line.quoted
local INTERPRETER = quoted(table.concat(command_line.interpreter_words(), " "))

local GOAT, BAD, BAD_PLACE = command.GOAT, command.BAD, command.BAD_PLACE

-- The command line of bin/cuttle with this interpreter and this build.
local CUTTLE = ("CUTTLE_BUILD=%s LUA=%s %s"):format(quoted(build), INTERPRETER, quoted(here .. "/bin/cuttle"))

describe("bin/cuttle", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  -- Runs a shell command in the folder. Returns its exit code and the text of both streams.
  local function shell(line)
    local pipe = io.popen(("cd %s && { %s ; } 2>errors.txt; echo \"exit $?\""):format(quoted(folder.path), line))
    local output = pipe:read "*a"
    pipe:close()
    local text, code = output:match "^(.-)exit (%d+)\n$"
    return tonumber(code), text, folder:read "errors.txt"
  end

  local function run(arguments)
    return shell(CUTTLE .. " " .. arguments)
  end

  it("exits with 0 on success", function()
    folder:write("goat.json", GOAT)
    command.assert_silent(run "compile goat.json")
    assert.equal(command.compiled(GOAT), folder:read "goat.level")
  end)

  it("exits with 1 when a level is wrong, and reports the place on standard error", function()
    folder:write("bad.json", BAD)
    command.assert_bad_data("bad.json: " .. BAD_PLACE, run "compile bad.json")
    assert.is_nil(folder:read "bad.level")
  end)

  it("exits with 2 when the arguments are wrong", function()
    command.assert_misused("a command is required", run "")
    command.assert_misused("unknown command 'valdate'", run "valdate")
  end)

  it("prints its manual on standard output", function()
    local code, output, errors = run "--help"
    assert.equal(0, code)
    assert.equal("", errors)
    assert.equal("Usage: cuttle ", output:sub(1, 14))
  end)

  it("prints its version", function()
    command.assert_output(cuttle._VERSION .. "\n", run "--version")
  end)

  it("passes bytes through a pipe unchanged", function()
    folder:write("goat.json", GOAT)
    local text = cuttle.resource(command.compiled(GOAT)):describe()
    command.assert_output(text .. "\n", shell(("%s compile - < goat.json | %s describe -"):format(CUTTLE, CUTTLE)))
  end)

  it("accepts file names with blanks and quotes", function()
    folder:write("a b.json", GOAT)
    folder:write("it's.json", GOAT)
    command.assert_silent(run [[compile "a b.json" "it's.json"]])
    assert.are.same({ "a b.json", "a b.level", "errors.txt", "it's.json", "it's.level" }, folder:names())
  end)

  it("reports that standard output is closed", function()
    local code, _, errors = run "--help >&-"
    assert.equal(1, code)
    assert.equal("standard output: Bad file descriptor\n", errors)
  end)

  it("reports that standard output is full", function()
    if not io.open "/dev/full" then return end
    folder:write("goat.json", GOAT)
    command.assert_bad_data("standard output: No space left on device", run "compile goat.json -o - >/dev/full")
  end)

  it("reports that standard input is a folder", function()
    command.assert_bad_data("standard input: Is a directory", run "validate - <.")
  end)

  it("leaves a device in its place", function()
    folder:write("goat.json", GOAT)
    command.assert_silent(run "compile goat.json -o /dev/null")
    assert.equal("char device", lfs.attributes("/dev/null", "mode"))
  end)

  it("writes into the file that standard output leads to", function()
    if not io.open "/proc/self/fd/1" then return pending "there is no /proc/self/fd" end
    folder:write("goat.json", GOAT)
    for _, name in ipairs { "/proc/self/fd/1", "/proc/self/fd/../fd/1" } do
      assert.equal(0, (run("compile goat.json -o " .. name .. " > goat.level")))
      assert.equal(command.compiled(GOAT), folder:read "goat.level")
    end
  end)

  it("writes into a named pipe", function()
    folder:write("goat.json", GOAT)
    local code, output = shell("mkfifo pipe && { " .. CUTTLE .. " compile goat.json -o pipe & cat pipe; wait; }")
    assert.equal(0, code)
    assert.equal(command.compiled(GOAT), output)
  end)

  it("does not replace a pipe by a file", function()
    assert.equal(0, (shell "mkfifo pipe"))
    local path = folder:at "pipe"
    local why = path .. ": this is a device or a pipe, not a file"
    assert.are.same({ nil, why }, { cuttle.report(cuttle.entity_manager(), path) })
    local compiler = cuttle.compiler(cuttle.world(cuttle.entity_manager()))
    assert.are.same({ nil, why }, { compiler:compile_file(folder:write("goat.json", GOAT), path) })
    assert.equal("named pipe", lfs.attributes(path, "mode"))
  end)

  it("does not wait for the data of a pipe or a device", function()
    assert.equal(0, (shell "mkfifo pipe && ln -s /dev/zero zero"))
    for _, name in ipairs { "pipe", "zero" } do
      local code, _, errors = run("compile " .. name)
      assert.equal(1, code)
      assert.equal(name .. ": this is a device or a pipe, not a file\n", errors)
    end
    local code, _, errors = shell(CUTTLE .. " validate --limit 1000 - < /dev/zero")
    assert.equal(1, code)
    assert.equal("standard input: more than 1000 bytes (--limit)\n", errors)
  end)

  it("reads prefabs from the level's folder, and from the folder of --root", function()
    assert.equal(0, (shell "mkdir sub"))
    folder:write("goat.json", GOAT)
    folder:write("sub/herd.json", [[{ "entities": [ { "prefab": "../goat.json" } ] }]])
    local code, _, errors = run "validate sub/herd.json"
    assert.equal(1, code)
    assert.is_truthy(errors:find("goat.json is outside of sub/, which prefabs must not leave", 1, true), errors)
    command.assert_silent(run "validate --root . sub/herd.json")
  end)

  it("reads files that a map names from the map's folder, and from the folder of --root", function()
    assert.equal(0, (shell "mkdir maps"))
    folder:write("set.tsj", [[{ "tilewidth": 8, "tileheight": 8, "image": "a.png" }]])
    local map = [[{ "tilewidth": 8, "tileheight": 8, "width": 1, "height": 1, "layers": [],
      "tilesets": [ { "firstgid": 1, "source": "%s" } ] }]]
    folder:write("maps/a.tmj", map:format "../set.tsj")
    folder:write("maps/b.tmj", map:format "link.tsj")
    assert.equal(0, (shell "ln -s ../set.tsj maps/link.tsj"))
    for name, reason in pairs { a = "set.tsj is outside of maps/ (--root)",
      b = "maps/link.tsj is a link to a file outside of maps/ (--root)" } do
      for _, verb in ipairs { "import", "validate" } do
        local code, _, errors = run(("%s maps/%s.tmj"):format(verb, name))
        assert.equal(1, code)
        assert.is_truthy(errors:find(reason, 1, true), errors)
        command.assert_silent(run(("validate --root . maps/%s.tmj"):format(name)))
      end
      assert.equal(0, (run(("import --root . maps/%s.tmj"):format(name))))
    end
    local code, _, errors = shell(CUTTLE .. " import --name maps/a.tmj - < maps/a.tmj")
    assert.equal(1, code)
    assert.is_truthy(errors:find("(--root)", 1, true), errors)
  end)

  it("refuses a map with more elements or cells than --max-elements and --max-cells allow", function()
    folder:write("a.tmj", [[{ "tilewidth": 8, "tileheight": 8, "width": 2, "height": 1, "layers": [
      { "type": "tilelayer", "width": 2, "height": 1, "data": [0, 0] } ] }]])
    assert.equal(0, (run "import --grids --max-elements 1 --max-cells 2 a.tmj"))
    local code, _, errors = run "import --grids --max-cells 1 a.tmj"
    assert.equal(1, code)
    assert.equal("a.tmj: layers[1].width: the document has more than 1 cells (--max-cells)\n", errors)
    code, _, errors = run "import --max-elements 0 a.tmj"
    assert.equal(1, code)
    assert.equal("a.tmj: layers[1]: the document has more than 0 elements (--max-elements)\n", errors)
    assert.equal(2, (run "import --max-cells many a.tmj"))
  end)

  it("writes into the file that a link leads to, and keeps the link", function()
    folder:write("goat.json", GOAT)
    assert.equal(0, (shell "mkdir out && ln -s out/old.level link && ln -s link again.d"))
    assert.equal(0, (shell "ln -s ../new.level out/dangling"))
    folder:write("out/old.level", "old")
    command.assert_silent(run "compile goat.json -o link")
    assert.equal(command.compiled(GOAT), folder:read "out/old.level")
    command.assert_silent(run "compile goat.json -o out/dangling")
    assert.equal(command.compiled(GOAT), folder:read "new.level")
    folder:write("out/old.level", "")
    command.assert_silent(run "compile goat.json -o goat.level --deps again.d")
    assert.equal("goat.level: goat.json\n", folder:read "out/old.level")
    for _, name in ipairs { "link", "again.d", "out/dangling" } do
      assert.equal("link", lfs.symlinkattributes(folder:at(name), "mode"), name)
    end
  end)

  it("does not overwrite an input or another output through a link", function()
    folder:write("goat.json", GOAT)
    folder:write("sheep.json", GOAT)
    assert.equal(0, (shell "ln -s goat.json goat.level && ln -s sheep.level cow.level"))
    command.assert_misused("goat.level would be overwritten: it is an input", run "compile goat.json")
    assert.equal(GOAT, folder:read "goat.json")
    folder:write("cow.json", GOAT)
    command.assert_misused("cow.json and sheep.json would both be written to sheep.level",
      run "compile cow.json sheep.json")
  end)

  it("refuses links that form a cycle", function()
    folder:write("goat.json", GOAT)
    assert.equal(0, (shell "ln -s one two && ln -s two one"))
    command.assert_bad_data("one: Too many levels of symbolic links", run "compile goat.json -o one")
  end)

  -- Starts a process that holds the lock of the temporary file until a shell command ends. Returns its stream.
  local function while_written(name, task)
    local line = "cd %s && exec flock %s.cuttle.tmp sh -c 'echo >held; %s'"
    local holder = io.popen(line:format(quoted(folder.path), name, task), "w")
    repeat until folder:read "held"
    return holder
  end

  it("waits while another process writes the same file", function()
    if shell "command -v flock" ~= 0 then return pending "flock is not here" end
    local holder = while_written("z", "sleep 0.2")
    assert.are.same({ true }, { files.write(folder:at "z", "new") })
    holder:close()
    assert.equal("new", folder:read "z")
  end)

  it("writes one output from six processes at the same time", function()
    folder:write("goat.json", GOAT)
    local one = CUTTLE .. " compile goat.json -o z || echo failed"
    local code, output, errors = shell("for i in 1 2 3 4 5 6; do (" .. one .. ") & done; wait")
    assert.are.same({ 0, "", "" }, { code, output, errors })
    assert.equal(command.compiled(GOAT), folder:read "z")
    assert.are.same({ "errors.txt", "goat.json", "z" }, folder:names())
  end)

  it("reports that another process writes the same file, after files.PATIENCE seconds", function()
    if shell "command -v flock" ~= 0 then return pending "flock is not here" end
    local patience = files.PATIENCE
    local holder = while_written("z", "cat")
    files.PATIENCE = 0
    local written, trouble = files.write(folder:at "z", "new")
    holder:close()
    files.PATIENCE = patience
    assert.are.same({ nil, folder:at "z" .. ": another process is writing it" }, { written, trouble })
    assert.is_true(files.write(folder:at "z", "new"))
    assert.equal("new", folder:read "z")
  end)

  it("leaves no temporary file when a signal ends the process during a write", function()
    folder:write("goats.json", '{ "entities": [ ' .. ('{ "components": { "transform": {} } }, '):rep(100) .. "{} ] }")
    -- A write beyond the file size limit sends SIGXFSZ, which ends the process.
    local code = shell("(ulimit -f 2; " .. CUTTLE .. " compile goats.json -o z)")
    assert.is_true(code > 128, code)
    assert.are.same({ "errors.txt", "goats.json" }, folder:names())
  end)

  -- The process is killed at each system call that concerns the file; the file then holds the old text or the new.
  it("leaves the old file or the new one when it is killed at any call", function()
    if os.getenv "LD_PRELOAD" then return pending "a sanitizer is preloaded, which is not traced" end
    if shell "strace -o /dev/null true 2>/dev/null" ~= 0 then return pending("strace is not here, or may not trace") end
    local script = "assert(require('cuttle.files').write('level', 'new'))"
    local paths = ("LUA_PATH=%s LUA_CPATH=%s"):format(quoted(here .. "/lua/?.lua"), quoted(build .. "/?.so"))
    local words = table.concat(command_line.interpreter_words(), " ")
    local traced = { "level", "level.cuttle.tmp", folder:at "level.cuttle.tmp" }
    for index, path in ipairs(traced) do traced[index] = "-P " .. quoted(path) end
    local seen, kills = {}, {}
    -- strace counts the calls of each name separately.
    for _, call in ipairs { "/^open", "/stat", "flock", "ftruncate", "write", "/^dup", "close", "/^rename" } do
      local place = 0
      repeat
        place = place + 1
        folder:write("level", "old")
        local code = shell(("env -u LD_PRELOAD %s strace -f -qq -o /dev/null %s -e inject=%s:signal=KILL:when=%d "
          .. "%s -e %s"):format(paths, table.concat(traced, " "), quoted(call), place, words, quoted(script)))
        local text = folder:read "level"
        assert.is_true(text == "old" or text == "new", tostring(text))
        seen[text] = true
        if code ~= 0 then kills[call] = place end
        assert.is_true(place < 20)
      until code == 0
    end
    for _, call in ipairs { "write", "close", "/^rename" } do assert.is_truthy(kills[call], call) end
    assert.are.same({ old = true, new = true }, seen)
    assert(files.write(folder:at "level", "newer"))
    assert.is_nil(folder:read "level.cuttle.tmp")
  end)

  it("shows no progress without a terminal", function()
    local paths = {}
    for index = 1, 50 do
      paths[index] = ("level_%d.json"):format(index)
      folder:write(paths[index], GOAT)
    end
    command.assert_silent(run("validate " .. table.concat(paths, " ")))
  end)

  -- Without LUA, the command runs under LuaJIT or Lua 5.1 on most machines, which cannot load a module built for
  -- another Lua.
  if _VERSION == "Lua 5.1" then
    it("runs under any interpreter that is installed", function()
      local line = ("env -u LUA CUTTLE_BUILD=%s %s --version"):format(quoted(build), quoted(here .. "/bin/cuttle"))
      command.assert_output(cuttle._VERSION .. "\n", shell(line))
    end)

    it("ignores an interpreter of LUA that does not work", function()
      local line = ("CUTTLE_BUILD=%s LUA=false %s --version"):format(quoted(build), quoted(here .. "/bin/cuttle"))
      command.assert_output(cuttle._VERSION .. "\n", shell(line))
    end)
  end

  it("runs through a link", function()
    assert.equal(0, (shell(("ln -s %s tool"):format(quoted(here .. "/bin/cuttle")))))
    local line = ("CUTTLE_BUILD=%s LUA=%s ./tool --version"):format(quoted(build), INTERPRETER)
    command.assert_output(cuttle._VERSION .. "\n", shell(line))
  end)

  -- Installs as `make install` does, for the Lua that runs the specs.
  local SERIES = _VERSION:match "%d%.%d"

  local function install()
    local lua, lib = "share/lua/" .. SERIES, "lib/lua/" .. SERIES
    assert.equal(0, (shell(("mkdir -p bin %s %s && cp %s bin/ && ln -s %s %s/cuttle && ln -s %s %s/cuttle"):format(lua,
      lib, quoted(here .. "/bin/cuttle"), quoted(here .. "/lua/cuttle"), lua, quoted(build .. "/cuttle"), lib))))
  end

  it("finds the modules that were installed with it", function()
    install()
    command.assert_output(cuttle._VERSION .. "\n", shell(("LUA=%s bin/cuttle --version"):format(INTERPRETER)))
  end)

  it("runs under the Lua that it was installed for", function()
    if shell(("command -v lua%s >/dev/null 2>&1"):format(SERIES)) ~= 0 then return end
    install()
    command.assert_output(cuttle._VERSION .. "\n", shell "env -u LUA bin/cuttle --version")
  end)

  it("names the module that is missing", function()
    folder:make "bin"
    assert.equal(0, (shell(("cp %s bin/"):format(quoted(here .. "/bin/cuttle")))))
    local line = ("LUA_PATH=/nowhere/?.lua LUA=%s bin/cuttle --version"):format(INTERPRETER)
    local code, output, errors = shell(line)
    assert.equal(2, code)
    assert.equal("", output)
    assert.equal("cuttle: module 'cuttle.cli' not found\n", errors)
  end)

  it("names the package that is missing, and how to install it", function()
    local found = shell(("LUA_PATH=/nowhere/?.lua %s -e 'require [[argparse]]' >/dev/null 2>&1"):format(INTERPRETER))
    if found == 0 then return pending "this interpreter finds argparse by a path of its own" end
    install()
    local code, output, errors = shell(("LUA_PATH=/nowhere/?.lua LUA=%s bin/cuttle --version"):format(INTERPRETER))
    assert.equal(2, code)
    assert.equal("", output)
    assert.equal("cuttle: the command needs argparse (luarocks install argparse; on Debian: apt-get install "
      .. "lua-argparse): module 'argparse' not found\n", errors)
  end)

  it("finds the modules of the LuaRocks tree that it was installed into", function()
    install()
    local rock = "lib/luarocks/rocks-" .. SERIES .. "/cuttle/scm-1/bin"
    assert.equal(0, (shell(("mkdir -p %s && mv bin/cuttle %s/"):format(rock, rock))))
    local line = ("cd / && %s %s --version"):format(command_line.interpreter(), quoted(folder:at(rock .. "/cuttle")))
    command.assert_output(cuttle._VERSION .. "\n", shell(line))
  end)

  it("compiles the targets of make, and again when a prefab changed", function()
    if shell "command -v make >/dev/null 2>&1" ~= 0 then return end
    folder:write("wheel.json", [[{ "entities": [ { "name": "wheel" } ] }]])
    folder:write("car.json", [[{ "entities": [ { "prefab": "wheel.json" } ] }]])
    -- Make must not run under the sanitizers, which are meant for the module.
    local recipe = ("env LD_PRELOAD=%s %s compile $< -o $@ --deps car.d"):format(quoted(os.getenv "LD_PRELOAD" or ""),
      CUTTLE)
    folder:write("Makefile", ("car.level: car.json\n\t@%s\n-include car.d\n"):format(recipe))
    local make = "env -u LD_PRELOAD -u MAKEFLAGS make -rR --no-print-directory"
    assert.equal(0, (shell(make)))
    assert.equal(1, assert(cuttle.load(folder:at "car.level")):entity_count())
    assert.equal(0, (shell(make .. " -q")))
    folder:write("wheel.json", [[{ "entities": [ { "name": "wheel", "children": [ {} ] } ] }]])
    assert.equal(0, (shell("touch -d 2100-01-01 wheel.json && " .. make)))
    assert.equal(2, assert(cuttle.load(folder:at "car.level")):entity_count())
  end)
end)
