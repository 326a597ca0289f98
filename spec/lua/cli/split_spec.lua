-- The command import --split: a file for each level of a project, and their index.

-- tags: pure_lua

local command = require "spec.support.command"
local folders = require "spec.support.folder"
local gltf_sample = require "spec.support.gltf_sample"
local json = require "cuttle.json"
local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local lfs = require "lfs"
local split = require "cuttle.cli.split"
local tiled_sample = require "spec.support.tiled_sample"

local run, assert_bad_data, assert_misused = command.run, command.assert_bad_data, command.assert_misused

describe("the command import --split", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  local function sample(change)
    local document = change and ldtk_sample.changed(change) or ldtk_sample.sample()
    return folder:write("a.ldtk", ldtk_sample.encode(document))
  end

  local function assert_split(...)
    local code, output, errors = run("import", ...)
    assert.same({ 0, "", "" }, { code, output, command.without_warnings(errors) })
  end

  it("writes a file for each level, as import --level does, and the index", function()
    local path, into = sample(), folder:make "levels"
    assert_split(path, "--split", into, "--tiles", "--fields", "props")
    for _, name in ipairs({ "A", "B" }) do
      local _, text = run("import", path, "--level", name, "--tiles", "--fields", "props")
      assert.equal(text, folder:read("levels/" .. name .. ".json"))
    end
    assert.same(select(4, assert(ldtk(path))), assert(loadfile(folder:at "levels/index.lua"))())
  end)

  it("writes levels that compile", function()
    local path, into = sample(), folder:make "levels"
    assert_split(path, "--split", into, "--grids", "--tile-resources", folder:at "levels/tiles.lua")
    local code, _, errors = run("compile", folder:at "levels/A.json", folder:at "levels/B.json")
    assert.same({ 0, "" }, { code, errors })
    assert.is_truthy(assert(loadfile(folder:at "levels/tiles.lua"))().Ground)
  end)

  it("writes the chosen levels, and the index of all", function()
    local into = folder:make "levels"
    assert_split(sample(), "--split", into, "--level", "B")
    assert.is_nil(folder:read "levels/A.json")
    assert.is_truthy(folder:read "levels/B.json")
    assert.equal(2, #assert(loadfile(folder:at "levels/index.lua"))())
  end)

  it("refuses --tile-resources with --level, which would drop the tiles of the other levels", function()
    local path, into = sample(), folder:make "levels"
    assert_misused("option '--tile-resources' with '--split' and '--level' would lack the tiles of the other levels",
      run("import", path, "--split", into, "--level", "B", "--grids", "--tile-resources", folder:at "levels/tiles.lua"))
    assert.is_nil(folder:read "levels/B.json")
  end)

  it("splits a world of Tiled", function()
    folder:write("cave.tmj", ldtk_sample.encode(tiled_sample.sample()))
    local path = folder:write("a.world", [[{ "type": "world", "maps": [ { "fileName": "cave.tmj", "x": 7 } ] }]])
    local into = folder:make "levels"
    assert_split(path, "--split", into)
    local level = assert(json.decode(folder:read "levels/cave.json"))
    assert.equal(7, level.entities[1].components.transform.position[1])
    assert.equal("cave", assert(loadfile(folder:at "levels/index.lua"))()[1].name)
  end)

  it("refuses one map and one scene", function()
    local map = folder:write("a.tmj", ldtk_sample.encode(tiled_sample.sample()))
    assert_bad_data(map .. ": this is one map: the options --level and --split are for worlds (.world)",
      run("import", map, "--split", folder.path))
    local scene = folder:write("a.gltf", gltf_sample.encode(gltf_sample.sample()))
    assert_misused(scene .. ": option '--split' is not for gltf files",
      run("import", scene, "--split", folder.path))
  end)

  it("needs an existing folder", function()
    local path = sample()
    assert_bad_data(folder:at "none/A.json: No such file or directory",
      run("import", path, "--split", folder:at "none", "--tiles", "--int-grid", "--fields", "props"))
    assert_misused("option '--split': the path is empty", run("import", path, "--split", ""))
    assert_misused("option '--split' can not be used together with option '-o'",
      run("import", path, "-o", folder:at "a.json", "--split", folder.path))
  end)

  it("refuses names of levels that are no names of files, before it writes a file", function()
    for _, name in ipairs({ "../b", "a/b", "a\\b", ".", "..", ".hidden", "", "con", "Nul.x", "com1", "a:b", "a ", "a.",
      "a\nb", "a*" }) do
      local into = folder:make "levels"
      local code, _, errors = run("import", sample(function(whole) whole.levels[2].identifier = name end),
        "--split", into)
      assert.equal(1, code, name)
      assert.matches("this name cannot be the name of a file", errors, 1, true)
      assert.same({ "a.ldtk", "levels" }, folder:names())
      assert(lfs.rmdir(into)) -- which fails unless it is empty
    end
  end)

  it("refuses names that differ in case alone", function()
    local path = sample(function(whole) whole.levels[2].identifier = "a" end)
    local _, _, errors = run("import", path, "--split", folder.path)
    assert.matches(path .. ": levels A and a would both be written to a.json", errors, 1, true)
  end)

  it("does not overwrite a file that it reads, or with the file of --tile-resources", function()
    local path = sample()
    local mappings = folder:write("index.lua", "return {}")
    assert.matches("index.lua: would be overwritten: it is the file of option '--mappings'",
      (select(3, run("import", path, "--split", folder.path, "--mappings", mappings))), 1, true)
    assert.equal("return {}", folder:read "index.lua")
    local level = folder:at "A.json"
    assert.matches("option '--tile-resources' names the output " .. level,
      (select(3, run("import", path, "--split", folder.path, "--grids", "--tile-resources", level))), 1, true)
    assert.is_nil(folder:read "A.json")
    assert_misused(path .. " would be overwritten: it is an input",
      run("import", path, "--split", folder.path, "--tile-resources", path))
  end)

  it("ignores an option split of --mappings", function()
    local mappings = folder:write("mappings.lua", "return { split = true }")
    local _, text = run("import", sample(), "--mappings", mappings)
    assert.equal(2, #assert(json.decode(text)).entities)
  end)
end)

describe("the text of an index", function()
  it("is Lua for any names and any number of levels", function()
    local index = {}
    for place = 1, 1200 do
      index[place] = { name = 'a "b"\\' .. place, x = -place / 3, y = place, w = 1e9, h = 0, depth = -1,
        neighbours = { "é", "end" } }
    end
    index[7].world = "Under\nworld"
    assert.same(index, assert(loadstring(split.index_text(index)))())
    assert.same({}, assert(loadstring(split.index_text({})))())
  end)
end)
