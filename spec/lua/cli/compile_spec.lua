-- The command "cuttle compile", and the make rules that it writes.

-- tags: pure_lua

local cli = require "cuttle.cli"
local cuttle = require "cuttle"
local blob = require "spec.support.blob"
local command = require "spec.support.command"
local folders = require "spec.support.folder"
local gltf_sample = require "spec.support.gltf_sample"
local ldtk_sample = require "spec.support.ldtk_sample"
local tiled_sample = require "spec.support.tiled_sample"

local GOAT, BAD, BAD_PLACE, HEALTHY, DEFINE_HEALTH, run, run_on, sink, source, assert_silent, assert_output,
  assert_bad_data, assert_misused, compiled = command.GOAT, command.BAD, command.BAD_PLACE, command.HEALTHY,
  command.DEFINE_HEALTH, command.run, command.run_on, command.sink, command.source, command.assert_silent,
  command.assert_output, command.assert_bad_data, command.assert_misused, command.compiled

describe("cuttle compile", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  describe("compiles", function()
    it("a level into a file next to it", function()
      assert_silent(run("compile", folder:write("goat.json", GOAT)))
      assert.equal(compiled(GOAT), folder:read "goat.level")
    end)

    it("a level into the output file of -o", function()
      assert_silent(run("compile", folder:write("goat.json", GOAT), "-o", folder:at "other"))
      assert.equal(compiled(GOAT), folder:read "other")
      assert.are.same({ "goat.json", "other" }, folder:names())
    end)

    it("a level into a folder", function()
      assert_silent(run("compile", folder:write("goat.json", GOAT), "--output-directory", folder:make "out"))
      assert.equal(compiled(GOAT), folder:read "out/goat.level")
    end)

    it("several levels", function()
      assert_silent(run("compile", folder:write("a.json", GOAT), folder:write("b.json", [[{ "entities": [] }]])))
      assert.equal(compiled(GOAT), folder:read "a.level")
      assert.equal(compiled [[{ "entities": [] }]], folder:read "b.level")
    end)

    it("a level whose name has no extension", function()
      assert_silent(run("compile", folder:write("goat", GOAT), folder:write(".goat", GOAT)))
      assert.are.same({ ".goat", ".goat.level", "goat", "goat.level" }, folder:names())
    end)

    it("a level whose name begins like an option", function()
      assert_output(compiled(GOAT), run("compile", "-o", "-", "--", folder:write("-goat.json", GOAT)))
    end)

    it("from standard input to standard output", function()
      assert_output(compiled(GOAT), run_on(GOAT, "compile", "-"))
    end)

    it("from standard input to a file", function()
      assert_silent(run_on(GOAT, "compile", "-", "-o", folder:at "a.level"))
      assert.equal(compiled(GOAT), folder:read "a.level")
    end)

    it("from standard input into a folder, under the name of --name", function()
      assert_silent(run_on(GOAT, "compile", "-", "--name", "x/goat.json", "--output-directory", folder.path))
      assert.equal(compiled(GOAT), folder:read "goat.level")
    end)

    it("a file to standard output", function()
      assert_output(compiled(GOAT), run("compile", folder:write("goat.json", GOAT), "-o", "-"))
    end)

    it("for both byte orders", function()
      local path = folder:write("goat.json", GOAT)
      for _, order in ipairs({ "little", "big" }) do
        local code, bytes = run("compile", path, "-o", "-", "--endian", order)
        assert.equal(0, code)
        assert.equal(2, blob.u32(bytes, 4, order == "big"))
      end
    end)

    it("the table that a Lua file returns", function()
      local path = folder:write("goat.lua", "#!/usr/bin/lua\nlocal x = 1\nreturn { entities = { { name = 'goat',\n"
        .. "components = { transform = { position = { x, 2, 3 } } } } } }\n")
      assert_output(compiled(GOAT), run("compile", path, "-o", "-"))
    end)

    it("components that a Lua file defines", function()
      local components = folder:write("components.lua", DEFINE_HEALTH)
      assert_silent(run("compile", folder:write("a.json", HEALTHY), "--components", components))
      local world = cuttle.world(cuttle.entity_manager())
      world:define("health", { { "hp", "int32" } })
      local level = assert(world:spawn(assert(cuttle.load(folder:at "a.level"))))
      assert.equal(7, world.health:hp(level:entity(1)))
    end)

    it("components whose compiler a Lua file registers", function()
      local components = folder:write("components.lua", [[return function(_, compiler)
        compiler:register("spikes", function(config) return ("x"):rep(config.count) end)
      end]])
      local code, output = run_on([[{ "entities": [ { "components": { "spikes": { "count": 3 } } } ] }]],
        "compile", "-", "--components", components)
      assert.equal(0, code)
      assert.are.same({ "spikes" }, assert(cuttle.resource(output)):component_types())
    end)

    it("prefabs by paths relative to the file that names them", function()
      folder:make "parts"
      folder:write("parts/wheel.json", [[{ "entities": [ { "name": "wheel" } ] }]])
      folder:write("parts/car.json", [[{ "entities": [ { "children": [ { "prefab": "wheel.json" } ] } ] }]])
      local path = folder:write("level.json", [[{ "entities": [ { "prefab": "parts/car.json" } ] }]])
      assert_silent(run("compile", path))
      assert.equal(2, assert(cuttle.load(folder:at "level.level")):entity_count())
    end)

    it("prefabs of standard input by paths relative to --name", function()
      folder:write("wheel.json", [[{ "entities": [ { "name": "wheel" } ] }]])
      local code, output, errors = run_on([[{ "entities": [ { "prefab": "wheel.json" } ] }]], "compile", "-", "--name",
        folder:at "level.json")
      assert.equal("", errors)
      assert.equal(0, code)
      assert.equal(1, assert(cuttle.resource(output)):entity_count())
    end)

    it("levels of editors, by the file's extension", function()
      local ldtk = folder:write("a.ldtk", ldtk_sample.encode(ldtk_sample.sample()))
      local gltf = folder:write("b.GLTF", gltf_sample.encode(gltf_sample.sample()))
      local tiled = folder:write("c.tmj", ldtk_sample.encode(tiled_sample.sample()))
      assert_silent(run("compile", ldtk, gltf, tiled))
      for _, name in ipairs({ "a.level", "b.level", "c.level" }) do
        assert.is_true(assert(cuttle.load(folder:at(name))):entity_count() > 3)
      end
    end)

    it("levels of editors, by --format", function()
      local text = ldtk_sample.encode(ldtk_sample.sample())
      assert_silent(run("compile", folder:write("a.json", text), "--format", "ldtk"))
      assert.equal(compiled(cuttle.import.ldtk(text)), folder:read "a.level")
    end)

    it("levels of editors from standard input", function()
      local text = ldtk_sample.encode(ldtk_sample.sample())
      assert_output(compiled(cuttle.import.ldtk(text)), run_on(text, "compile", "-", "--format", "ldtk"))
      assert_output(compiled(cuttle.import.ldtk(text)), run_on(text, "compile", "-", "--name", "x.ldtk"))
    end)

    it("levels of editors whose names look like documents", function()
      local text = ldtk_sample.encode(ldtk_sample.sample())
      local here = assert(require("lfs").currentdir())
      assert(require("lfs").chdir(folder.path))
      finally(function() require("lfs").chdir(here) end)
      folder:write("{a}.ldtk", text)
      folder:write("glTF.ldtk", text)
      assert_output(compiled(cuttle.import.ldtk(text)), run("compile", "{a}.ldtk", "-o", "-"))
      assert_output(compiled(cuttle.import.ldtk(text)), run("compile", "glTF.ldtk", "-o", "-"))
    end)
  end)

  describe("reports", function()
    it("the place of an error in a level, and writes nothing", function()
      local path = folder:write("bad.json", BAD)
      assert_bad_data(path .. ": " .. BAD_PLACE, run("compile", path))
      assert.are.same({ "bad.json" }, folder:names())
    end)

    it("which level is wrong, and compiles the others", function()
      local bad = folder:write("bad.json", BAD)
      assert_bad_data(bad .. ": " .. BAD_PLACE,
        run("compile", folder:write("a.json", GOAT), bad, folder:write("c.json", GOAT)))
      assert.are.same({ "a.json", "a.level", "bad.json", "c.json", "c.level" }, folder:names())
    end)

    it("the place of an error in standard input", function()
      assert_bad_data("standard input: " .. BAD_PLACE, run_on(BAD, "compile", "-"))
      assert_bad_data("x.json: " .. BAD_PLACE, run_on(BAD, "compile", "-", "--name", "x.json"))
    end)

    it("the reason why standard input cannot be read", function()
      local output, errors = sink(), sink()
      local code = cli.main({ "compile", "-" }, { output = output, errors = errors,
        input = source(nil, "Is a directory") })
      assert_bad_data("standard input: Is a directory", code, output.text(), errors.text())
    end)

    it("the reason why standard output cannot be written", function()
      local errors = sink()
      local code = cli.main({ "compile", "-" },
        { output = sink "Broken pipe", errors = errors, input = source(GOAT) })
      assert_bad_data("standard output: Broken pipe", code, "", errors.text())
    end)

    it("a missing file", function()
      assert_bad_data(folder:at "no.json" .. ": No such file or directory", run("compile", folder:at "no.json"))
    end)

    it("a folder in the place of a file", function()
      assert_bad_data(folder.path .. ": Is a directory", run("compile", folder.path))
    end)

    it("the reason why an output cannot be written", function()
      assert_bad_data(folder:at "no/a.level" .. ": No such file or directory",
        run("compile", folder:write("a.json", GOAT), "-o", folder:at "no/a.level"))
      assert.are.same({ "a.json" }, folder:names())
    end)

    it("a full device, and leaves the device in its place", function()
      if not io.open "/dev/full" then return end
      assert_bad_data("/dev/full: No space left on device",
        run("compile", folder:write("a.json", GOAT), "-o", "/dev/full"))
    end)

    it("an input that is compiled already", function()
      local path = folder:write("goat.json", compiled(GOAT))
      assert_bad_data(path .. ": the level is already compiled", run("compile", path))
    end)

    it("a syntax error of a Lua file", function()
      local path = folder:write("a.lua", "return {")
      assert.equal(1, (run("compile", path)))
      local _, _, errors = run("compile", path)
      assert.is_truthy(errors:find "a%.lua:1: unexpected symbol near '?<eof>'?\n", errors)
    end)

    it("an error that a Lua file raised", function()
      local path = folder:write("a.lua", "error 'no sheep'")
      assert.is_truthy(select(3, run("compile", path)):find("a.lua:1: no sheep\n", 1, true))
      path = folder:write("b.lua", "error {}")
      assert.is_truthy(select(3, run("compile", path)):find(path .. ": table: ", 1, true))
    end)

    it("a Lua file that raised nil", function()
      local path = folder:write("a.lua", "error()")
      assert_bad_data(path .. ": it raised nil", run("compile", path))
    end)

    it("a Lua file that returns no table", function()
      local path = folder:write("a.lua", "return 5")
      assert_bad_data(path .. ": expected the file to return a table, got number", run("compile", path))
    end)

    it("bytecode, which it does not read", function()
      local path = folder:write("a.lua", string.dump(function() return {} end))
      assert_bad_data(path .. ": bytecode is not accepted", run("compile", path))
    end)

    it("the place of an error in an editor's level", function()
      local path = folder:write("a.ldtk", [[{ "jsonVersion": "2.0.0" }]])
      local code, _, errors = run("compile", path)
      assert.equal(1, code)
      assert.equal(path .. ": jsonVersion: ", errors:sub(1, #path + 15))
    end)

    it("the place of an error in a prefab", function()
      local prefab = folder:write("bad.json", BAD)
      local path = folder:write("a.json", [[{ "entities": [ { "prefab": "bad.json" } ] }]])
      local code, _, errors = run("compile", path)
      assert.equal(1, code)
      assert.is_truthy(errors:find(prefab .. ": " .. BAD_PLACE, 1, true), errors)
    end)
  end)

  describe("refuses with exit code 2", function()
    it("one output for several inputs", function()
      assert_misused("option '--output' takes one input, got 2", run("compile", "a.json", "b.json", "-o", "c"))
    end)

    it("two places for the output", function()
      assert_misused("option '--output-directory' can not be used together with option '-o'",
        run("compile", "a.json", "-o", "b", "--output-directory", "c"))
    end)

    it("two levels in one output", function()
      assert_misused("x/a.json and y/a.json would both be written to z/a.level",
        run("compile", "x/a.json", "y/a.json", "--output-directory", "z"))
    end)

    it("to overwrite an input", function()
      local path = folder:write("a.json", GOAT)
      assert_misused(path .. " would be overwritten: it is an input", run("compile", path, "-o", path))
      local named = folder:write("a.level.cuttle.tmp", GOAT)
      assert_misused(("%s would be overwritten: %s is written first, and it is an input"):format(folder:at "a.level",
        named), run("compile", "--format", "native", named, "-o", folder:at "a.level"))
      assert.equal(GOAT, folder:read "a.level.cuttle.tmp")
      assert.equal(GOAT, folder:read "a.json")
    end)

    it("to write standard input into a folder without a name", function()
      assert_misused("the output of standard input has no name: give --name",
        run_on(GOAT, "compile", "-", "--output-directory", folder.path))
    end)
  end)

  it("does not replace a folder by a file", function()
    local path = folder:write("a.json", GOAT)
    assert_bad_data(folder:make "empty" .. ": Is a directory", run("compile", path, "-o", folder:at "empty"))
    assert.are.same({ "a.json", "empty" }, folder:names())
  end)

  it("does not overwrite a prefab", function()
    local prefab = folder:write("wheel.json", GOAT)
    local path = folder:write("a.json", [[{ "entities": [ { "prefab": "wheel.json" } ] }]])
    assert_bad_data(("%s: would be overwritten: %s was compiled from it"):format(prefab, path),
      run("compile", path, "-o", prefab))
    assert.equal(GOAT, folder:read "wheel.json")
  end)

  describe("--deps", function()
    local WHEEL = [[{ "entities": [ { "name": "wheel" } ] }]]
    local CAR = [[{ "entities": [ { "prefab": "wheel.json" }, { "prefab": "./wheel.json" } ] }]]

    it("lists the files that an output was compiled from", function()
      local path, wheel = folder:write("car.json", CAR), folder:write("wheel.json", WHEEL)
      assert_output(("%s: %s %s\n\n%s:\n"):format(folder:at "car.level", path, wheel, wheel),
        run("compile", path, "--deps", "-"))
    end)

    it("writes to a file", function()
      local path, wheel = folder:write("car.json", CAR), folder:write("wheel.json", WHEEL)
      assert_silent(run("compile", path, "--deps=" .. folder:at "car.d", "-o", folder:at "x"))
      assert.equal(("%s: %s %s\n\n%s:\n"):format(folder:at "x", path, wheel, wheel), folder:read "car.d")
    end)

    it("writes one rule for each output, and one empty rule for a shared dependency", function()
      local wheel = folder:write("wheel.json", WHEEL)
      local a, b = folder:write("a.json", CAR), folder:write("b.json", CAR)
      local expected = ("%s: %s %s\n%s: %s %s\n\n%s:\n"):format(folder:at "a.level", a, wheel, folder:at "b.level", b,
        wheel, wheel)
      assert_output(expected, run("compile", a, b, "--deps", "-"))
    end)

    it("lists the file of --components", function()
      local path, components = folder:write("a.json", HEALTHY), folder:write("components.lua", DEFINE_HEALTH)
      assert_output(("%s: %s %s\n\n%s:\n"):format(folder:at "a.level", path, components, components),
        run("compile", path, "--deps", "-", "--components", components))
    end)

    it("lists the files that an importer read, and the file of --mappings", function()
      local project, parts = ldtk_sample.split "part"
      for path, part in pairs(parts) do folder:write(path, part) end
      local path = folder:write("a.ldtk", project)
      local mappings = folder:write("mappings.lua", "return {}")
      local code, output = run("compile", path, "--deps", "-", "--mappings", mappings)
      assert.equal(0, code)
      assert.equal(table.concat({ folder:at "a.level:", path, folder:at "part1.ldtkl", folder:at "part2.ldtkl",
        mappings }, " "), output:match "^[^\n]*")
    end)

    it("does not list standard input, which has no name", function()
      folder:write("wheel.json", WHEEL)
      local code, output = run_on(CAR, "compile", "-", "--name", folder:at "car.json", "--deps", "-", "-o",
        folder:at "x")
      assert.equal(0, code)
      assert.equal(("%s: %s\n\n%s:\n"):format(folder:at "x", folder:at "wheel.json", folder:at "wheel.json"), output)
    end)

    it("keeps the old rules when a level is wrong", function()
      local rules = folder:write("rules.d", "a.level: a.json old.json\n")
      assert.equal(1, (run("compile", folder:write("a.json", GOAT), folder:write("bad.json", BAD), "--deps", rules)))
      assert.equal("a.level: a.json old.json\n", folder:read "rules.d")
    end)

    it("refuses an output without a name", function()
      assert_misused("option '--deps' needs the name of an output, got standard output",
        run("compile", folder:write("a.json", GOAT), "-o", "-", "--deps", "-"))
    end)

    it("refuses the name of an output", function()
      assert_misused("option '--deps' names the output x", run("compile", "a.json", "-o", "x", "--deps", "./x"))
    end)

    it("reports a name that cannot be written in a make rule", function()
      local path = folder:write("a;b.json", GOAT)
      assert_bad_data(folder:at "a;b.level" .. ": rules for make cannot contain this name",
        run("compile", path, "--deps", "-"))
    end)

    it("reports the reason why it cannot be written", function()
      assert_bad_data(folder:at "no/a.d" .. ": No such file or directory",
        run("compile", folder:write("a.json", GOAT), "--deps", folder:at "no/a.d"))
    end)
  end)
end)
