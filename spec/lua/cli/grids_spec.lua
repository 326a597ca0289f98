-- Grids from the command line, and the file of tile resources that describes their numbers.

-- tags: pure_lua

local json = require "cuttle.json"
local command = require "spec.support.command"
local folders = require "spec.support.folder"
local ldtk_sample = require "spec.support.ldtk_sample"
local meanings = require "cuttle.cli.tile_resources"
local run, assert_misused = command.run, command.assert_misused

describe("the command", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  local function sample(name)
    return folder:write(name or "a.ldtk", ldtk_sample.encode(ldtk_sample.sample()))
  end

  -- The value that a Lua file returns.
  local function loaded(path)
    return assert(loadfile(path))()
  end

  it("imports grids with --grids and with --tiles=grid", function()
    local path = sample()
    local level = assert(json.decode(select(2, run("import", path, "--grids"))))
    local walls = level.entities[1].children[2]
    assert.same({ 0, 2, 0, 0, 0, 1 }, walls.components.grid.cells)
    assert.same({ 6, 2, 0, 0, 0, 2 }, walls.children[1].components.grid.cells)
    local _, text = run("import", "--grids", path)
    assert.same({ run("import", "--tiles=grid", path) }, { 0, text, (select(3, run("import", "--grids", path))) })
  end)

  it("writes the properties of tile numbers with --tile-resources", function()
    local path, output = sample(), folder:at "tiles.lua"
    local code, _, errors = run("import", path, "--grids", "--tile-resources", output)
    assert.same({ 0, "" }, { code, command.without_warnings(errors) })
    local tiles = loaded(output)
    assert.same({ [2] = { identifier = "brick", color = { 1, 0, 0, 1 }, group = 0 } }, tiles.Walls)
    assert.same({ "Water" }, tiles.Ground[6].tags)
  end)

  it("does not overwrite an input or an output with --tile-resources", function()
    local path = sample()
    assert_misused(path .. " would be overwritten: it is an input",
      run("import", path, "--grids", "--tile-resources", path))
    assert_misused("option '--tile-resources' names the output " .. folder:at "a.json",
      run("import", path, "--grids", "-o", folder:at "a.json", "--tile-resources", folder:at "a.json"))
    assert_misused("option '--tile-resources': the path is empty", run("import", path, "--tile-resources", ""))
  end)

  it("refuses two inputs whose grids name their tiles alike", function()
    local code, _, errors = run("compile", sample "a.ldtk", sample "b.ldtk", "--int-grid", "--grids",
      "--tile-resources", folder:at "tiles.lua")
    assert.equal(1, code)
    assert.is_truthy(errors:find("b.ldtk: grids of another input also have tiles named Ground", 1, true), errors)
    assert.is_nil(io.open(folder:at "tiles.lua"))
  end)

  it("writes tiles with any names and properties, and any number of them", function()
    local all = { ['a "quoted"\nname'] = {}, none = {} }
    for value = 1, 1200 do all['a "quoted"\nname'][value * 3] = { id = value / 7, name = "n\r\n" .. value } end
    all['a "quoted"\nname'][3] = { list = { 1, { x = -0.5 }, true }, ["end"] = false, [5] = 1 / 0, [6] = "\0\255" }
    assert.same(all, assert(loadstring(assert(meanings.text(all))))())
  end)

  it("writes the same text for the same tiles", function()
    local function one(first, second) return { t = { [1] = { [first] = 1, [second] = 1 }, [2 ^ 31] = {} } } end
    assert.equal(meanings.text(one("a", "b")), meanings.text(one("b", "a")))
    assert.matches("tiles[2147483648] = {}", meanings.text(one("a", "b")), 1, true)
  end)

  it("does not write properties that are nested too deep for Lua", function()
    local deep = {}
    for _ = 1, 100 do deep = { deep } end
    local text, message = meanings.text { cave = { [7] = { fields = deep } } }
    assert.is_nil(text)
    assert.equal("cave: the properties of tile 7 are nested too deep for Lua", message)
  end)
end)
