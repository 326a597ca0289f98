-- The command does not overwrite its inputs, whatever path leads to them.

-- tags: pure_lua

local command = require "spec.support.command"
local folders = require "spec.support.folder"
local ldtk_sample = require "spec.support.ldtk_sample"
local lfs = require "lfs"

-- These modules are loaded first, because the specs change the current folder.
for _, name in ipairs({ "json.encoder", "import.ldtk", "cli" }) do require("cuttle." .. name) end

local GOAT, HEALTHY, DEFINE_HEALTH, run, assert_silent, assert_bad_data, assert_misused = command.GOAT,
  command.HEALTHY, command.DEFINE_HEALTH, command.run, command.assert_silent, command.assert_bad_data,
  command.assert_misused

local WHEEL = [[{ "entities": [ { "name": "wheel" } ] }]]
local CAR = [[{ "entities": [ { "prefab": "wheel.json" } ] }]]
local RULES = "old.level: old.json\n"

local IS_WINDOWS = package.config:sub(1, 1) == "\\"

describe("the command", function()
  local folder, before, here

  before_each(function()
    folder, here = folders.new(), lfs.currentdir()
    assert(lfs.chdir(folder.path))
    folder:write("goat.json", GOAT)
    folder:write("car.json", CAR)
    folder:write("wheel.json", WHEEL)
    folder:write("healthy.json", HEALTHY)
    folder:write("components.lua", DEFINE_HEALTH)
    folder:write("mappings.lua", "return {}")
    folder:write("map.ldtk", ldtk_sample.encode(ldtk_sample.sample()))
    before = nil
  end)

  after_each(function()
    assert(lfs.chdir(here))
    folder:remove()
  end)

  -- The contents of the folder, by file name.
  local function contents()
    local found = {}
    for _, name in ipairs(folder:names()) do found[name] = folder:read(name) or "folder" end
    return found
  end

  -- Runs the command and checks that it changed no file.
  local function untouched(...)
    before = contents()
    local code, output, errors = run(...)
    assert.are.same(before, contents())
    return code, output, errors
  end

  describe("does not overwrite", function()
    it("its input", function()
      assert_misused("./goat.json would be overwritten: it is an input",
        untouched("compile", "goat.json", "-o", "./goat.json"))
    end)

    it("its input by an absolute path", function()
      if IS_WINDOWS then return end
      local path = folder:at "goat.json"
      assert_misused(path .. " would be overwritten: it is an input", untouched("compile", "goat.json", "-o", path))
      assert_misused("goat.json would be overwritten: it is an input", untouched("compile", path, "-o", "goat.json"))
    end)

    it("its input in a folder with two paths", function()
      if IS_WINDOWS then return end
      assert(lfs.link(".", "here", true))
      assert_misused("here/goat.json would be overwritten: it is an input",
        untouched("compile", "goat.json", "-o", "here/goat.json"))
      assert_misused("here/goat.json would be overwritten: it is an input",
        untouched("compile", "./goat.json", "-o", "here/goat.json"))
    end)

    it("its input through a link", function()
      if IS_WINDOWS then return end
      assert(lfs.link("goat.json", "soft", true))
      assert(lfs.link("goat.json", "hard"))
      for _, name in ipairs({ "soft", "hard" }) do
        assert_misused(name .. " would be overwritten: it is an input",
          untouched("compile", "goat.json", "-o", name))
      end
    end)

    it("an input with the extension of outputs", function()
      folder:write("goat.level", WHEEL)
      assert_misused("goat.level would be overwritten: it is an input",
        untouched("compile", "goat.json", "goat.level", "--format", "native"))
    end)

    it("an input with the extension of outputs, in a folder with two paths", function()
      if IS_WINDOWS then return end
      assert(lfs.link(".", "here", true))
      folder:write("goat.level", WHEEL)
      assert_misused("here/goat.level would be overwritten: it is an input",
        untouched("compile", "here/goat.json", "goat.level", "--format", "native"))
    end)

    it("a prefab", function()
      assert_bad_data("wheel.json: would be overwritten: car.json was compiled from it",
        untouched("compile", "car.json", "-o", "wheel.json"))
    end)

    it("a prefab by an absolute path", function()
      if IS_WINDOWS then return end
      local path = folder:at "wheel.json"
      assert_bad_data(path .. ": would be overwritten: car.json was compiled from it",
        untouched("compile", "car.json", "-o", path))
    end)

    it("the files of its options", function()
      assert_misused("components.lua would be overwritten: it is the file of option '--components'",
        untouched("compile", "healthy.json", "--components", "components.lua", "-o", "components.lua"))
      assert_misused("mappings.lua would be overwritten: it is the file of option '--mappings'",
        untouched("import", "map.ldtk", "--mappings", "mappings.lua", "-o", "mappings.lua"))
    end)

    it("an imported level", function()
      assert_misused("map.ldtk would be overwritten: it is an input",
        untouched("import", "map.ldtk", "-o", "map.ldtk"))
    end)

    it("a file that an imported level refers to", function()
      local project, parts = ldtk_sample.split "part"
      for path, part in pairs(parts) do folder:write(path, part) end
      folder:write("map.ldtk", project)
      assert_bad_data("part1.ldtkl: would be overwritten: map.ldtk was imported from it",
        untouched("import", "map.ldtk", "-o", "part1.ldtkl"))
    end)

    it("the components file of a schema", function()
      assert_misused("components.lua would be overwritten: it is the file of option '--components'",
        untouched("schema", "--components", "components.lua", "-o", "components.lua"))
    end)
  end)

  it("overwrites a file that it does not read", function()
    folder:write("other.json", "{}")
    assert_silent(run("compile", "goat.json", "-o", "other.json"))
    assert.equal(command.compiled(GOAT), folder:read "other.json")
    assert_silent(run("compile", "goat.json", "-o", "other.json"))
  end)

  describe("does not write the rules of --deps over", function()
    it("an input", function()
      assert_misused("option '--deps': goat.json would be overwritten: it is an input",
        untouched("compile", "goat.json", "--deps", "goat.json"))
    end)

    it("an input with a second name", function()
      if IS_WINDOWS or not lfs.link("goat.json", "goat.d") then return pending "a file has one name here" end
      assert_misused("option '--deps': goat.d would be overwritten: it is an input",
        untouched("compile", "goat.json", "--deps", "goat.d"))
    end)

    it("the file of --components", function()
      assert_misused("option '--deps': components.lua would be overwritten: it is the file of option '--components'",
        untouched("compile", "healthy.json", "--components", "components.lua", "--deps", "components.lua"))
    end)

    it("a file that holds no rules, such as an input that follows --deps by mistake", function()
      assert_misused("option '--deps': goat.json would be overwritten, but has no rules for make",
        untouched("compile", "--deps", "goat.json", "car.json"))
      for _, text in ipairs({ "{\n}", '{"entities": []}', "return 5", "-- rules: none", "<?xml?>", " " }) do
        folder:write("a.d", text)
        assert_misused("option '--deps': a.d would be overwritten, but has no rules for make",
          untouched("compile", "goat.json", "--deps", "a.d"))
      end
    end)

    it("a file that a level was compiled from, even if it looks like rules", function()
      local project = ldtk_sample.sample()
      project.externalLevels = true
      project.levels = { project.levels[1] }
      folder:write("map.d", ldtk_sample.encode(project.levels[1]))
      project.levels[1].layerInstances, project.levels[1].externalRelPath = ldtk_sample.NULL, "map.d"
      folder:write("map.ldtk", ldtk_sample.encode(project))
      folder:write("mappings.lua", ("return { read = function() return %q end }"):format(folder:read "map.d"))
      folder:write("map.d", RULES)
      assert_bad_data("map.d: would be overwritten by option '--deps': map.ldtk was compiled from it",
        untouched("compile", "map.ldtk", "--mappings", "mappings.lua", "--deps", "map.d"))
    end)

    it("an output with a second name", function()
      if IS_WINDOWS then return end
      assert_silent(run("compile", "goat.json"))
      assert(lfs.link(".", "here", true))
      assert_misused("option '--deps' names the output goat.level",
        untouched("compile", "goat.json", "--deps", "here/goat.level"))
    end)
  end)

  describe("writes the rules of --deps over", function()
    it("any make rules", function()
      assert_silent(run("compile", "car.json", "--deps", "a.d"))
      local rules = folder:read "a.d"
      assert_silent(run("compile", "car.json", "--deps", "a.d"))
      assert.equal(rules, folder:read "a.d")
      for _, text in ipairs({ RULES, "a\\ b.level:\n", "a.o: a.c \\\n a.h\n", "a.level:" }) do
        folder:write("a.d", text)
        assert_silent(run("compile", "car.json", "--deps", "a.d"))
        assert.equal(rules, folder:read "a.d")
      end
    end)

    it("an empty file", function()
      folder:write("a.d", "")
      assert_silent(run("compile", "car.json", "--deps", "a.d"))
      assert.equal("car.level: car.json wheel.json\n\nwheel.json:\n", folder:read "a.d")
    end)
  end)
end)
