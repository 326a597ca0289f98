-- LDtk projects with separate level files.

local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local folder = require "spec.support.folder"
local encode = ldtk_sample.encode
local sample = ldtk_sample.sample

local files
before_each(function() files = folder.new() end)
after_each(function() files:remove() end)

describe("separate level files", function()
  local function split() return ldtk_sample.split "part_" end

  it("are read from the folder of the project", function()
    local text, parts = split()
    for relative, part in pairs(parts) do files:write(relative, part) end
    local result = assert(ldtk(files:write("map.ldtk", text)))
    assert.equal("Player", result.entities[1].children[1].children[1].name)
    assert.equal("Door", result.entities[2].children[1].children[1].name)
  end)

  it("are read from the option directory for a text", function()
    local text, parts = split()
    for relative, part in pairs(parts) do files:write(relative, part) end
    assert.equal(2, #assert(ldtk(text, { directory = files.path })).entities)
  end)

  it("are read with the option read", function()
    local text, parts = split()
    local function read(path) return parts[path:match("^maps/(.*)$")] end
    assert.equal(2, #assert(ldtk(text, { directory = "maps", read = read })).entities)
  end)

  it("are read with the option read by their plain path if a text has no directory", function()
    local text, parts = split()
    assert.equal(2, #assert(ldtk(text, { read = function(path) return parts[path] end })).entities)
  end)

  it("need a directory if the project is a text", function()
    local _, message = ldtk((split()))
    assert.equal('LDtk text: levels[1].externalRelPath: "part_1.ldtkl" is a separate file: pass option '
      .. "directory, or import by path", message)
  end)

  it("are reported with the project if they are missing", function()
    local _, message = ldtk((split()), { name = "map.ldtk", directory = "no/such/folder" })
    assert.equal("map.ldtk: levels[1].externalRelPath: cannot read no/such/folder/part_1.ldtkl: "
      .. "No such file or directory", message)
  end)

  it("are reported by name if they are not JSON", function()
    local _, message = ldtk((split()), { directory = "maps", read = function() return '{"layerInstances":' end })
    assert.matches("^maps/part_1%.ldtkl: line 1 column 19: ", message)
  end)

  it("are reported by name if they are another document", function()
    local _, message = ldtk((split()), { directory = "maps", read = function() return "{}" end })
    assert.matches("^maps/part_1%.ldtkl: not a separate level file", message)
  end)

  it("are reported by name with the place of bad data", function()
    local text = split()
    local part = sample().levels[1]
    part.layerInstances[1].entityInstances[2].px = { 1 }
    local _, message = ldtk(text, { directory = "maps", levels = { "A" }, read = function() return encode(part) end })
    assert.equal("maps/part_1.ldtkl: layerInstances[1].entityInstances[2].px: expected 2 numbers, got 1",
      message)
  end)

  it("are not read if their level is not chosen", function()
    local text, parts = split()
    local function read(path) return path:find("_2") and parts["part_2.ldtkl"] or error("read") end
    assert.equal(1, #assert(ldtk(text, { levels = { "B" }, directory = "x", read = read })).entities)
  end)

  it("may not be shared by two levels", function()
    local text, parts = split()
    text = text:gsub("part_2%.ldtkl", "x/.././part_1.ldtkl")
    local _, message = ldtk(text, { directory = "maps", read = function() return parts["part_1.ldtkl"] end })
    assert.equal('LDtk text: levels[2].externalRelPath: "x/.././part_1.ldtkl" is also the file of levels[1]', message)
  end)

  it("cannot be imported alone", function()
    local _, message = ldtk(encode(sample().levels[1]))
    assert.equal("LDtk text: a separate level file of LDtk: import the project (.ldtk) it belongs to", message)
  end)
end)
