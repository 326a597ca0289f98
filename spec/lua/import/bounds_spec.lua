-- Limits of elements, cells and nesting in imported documents.

local formats = require "spec.support.tiled_formats"
local gltf = require "cuttle.import.gltf"
local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local tiled = require "cuttle.import.tiled"
local tiled_sample = require "spec.support.tiled_sample"

local has_expat = pcall(require, "lxp")

local HEAD = '"tilewidth":8,"tileheight":8,"width":1,"height":1'

-- A map with `count` layers, each with two chunks at a distance in cells.
local function chunks(count, distance)
  local layer = ('{"type":"tilelayer","width":1,"height":1,"chunks":[{"x":0,"y":0,"width":1,"height":1,"data":[1]},'
    .. '{"x":%d,"y":%d,"width":1,"height":1,"data":[1]}]}'):format(distance, distance)
  return ('{%s,"tilesets":[{"firstgid":1,"tilewidth":8,"tileheight":8,"image":"a.png"}],"layers":[%s]}'):format(HEAD,
    layer .. ("," .. layer):rep(count - 1))
end

-- Asserts that an import is refused with the message, and returns the memory that it allocated, in KB.
local function refuses(expected, import, text, options)
  collectgarbage()
  local before = collectgarbage "count"
  collectgarbage "stop"
  local level, message = import(text, options)
  local grown = collectgarbage "count" - before
  collectgarbage "restart"
  assert.is_nil(level)
  assert.equal(expected, message)
  return grown
end

local function too_many(place, most, kind)
  return ("%sthe document has more than %d %s (option max_%s)"):format(place, most, kind, kind)
end

describe("the cells of a document", function()
  it("are limited for chunks at a large distance", function()
    for _, count in ipairs { 1, 10 } do
      local grown = refuses(too_many("Tiled text: layers[1].chunks: ", 10000000, "cells"), tiled, chunks(count, 4000),
        { tiles = "grid" })
      assert.is_true(grown < 1024, "grew by " .. grown .. " KB")
    end
  end)

  it("are counted over all layers", function()
    local options = { tiles = "grid", max_cells = 3 * (41 * 41 + 2) + 1 }
    assert.equal(3, #assert(tiled(chunks(3, 40), options)).entities)
    local place = "Tiled text: layers[4].chunks[2].width: "
    refuses(too_many(place, options.max_cells, "cells"), tiled, chunks(4, 40), options)
  end)

  it("are counted if tiles become entities", function()
    refuses(too_many("Tiled text: layers[2].layers[1].width: ", 17, "cells"), tiled,
      tiled_sample.encode(tiled_sample.map { tiled_sample.floor(1, "A", 3, 1, { 1, 1, 1 }),
        tiled_sample.group(2, "g", { tiled_sample.floor(3, "B", 3, 1, { 1, 1, 1 }) }) }),
      { tiles = true, max_cells = 17 })
  end)

  it("count four more for each tile that becomes an entity, and one in a lazy list", function()
    local text = tiled_sample.encode(tiled_sample.map { tiled_sample.floor(1, "A", 3, 1, { 1, 0, 1 }) })
    assert(tiled(text, { tiles = true, max_cells = 11 }))
    refuses(too_many("Tiled text: layers[1].data: ", 10, "cells"), tiled, text, { tiles = true, max_cells = 10 })
    assert(tiled(text, { tiles = true, lazy = true, max_cells = 5 }))
    local project = ldtk_sample.encode(ldtk_sample.sample())
    local level, message = ldtk(project, { tiles = true, int_grid = true, max_cells = 23 })
    assert.is_nil(level)
    assert.matches("the document has more than 23 cells", message)
    assert(ldtk(project, { tiles = true, int_grid = true, max_cells = 24 }))
  end)

  it("are counted over all maps of a world", function()
    local options = { tiles = "grid", max_cells = 7,
      read = formats.reader { ["a.lua"] = formats.LUA, ["b.lua"] = formats.LUA } }
    local world = '{"type":"world","maps":[{"fileName":"a.lua"},{"fileName":"b.lua"}]}'
    local level, message = tiled(world, options)
    assert.is_nil(level)
    assert.matches("^b%.lua: .*the document has more than 7 cells %(option max_cells%)$", message)
  end)

  it("are read once, even if a mapping reads them twice", function()
    local results = {}
    local function layer(one)
      if one.cells then results = { one.cells(), one.cells() } end
    end
    assert(tiled(tiled_sample.encode(tiled_sample.map { tiled_sample.floor(1, "A", 3, 1, { 1, 1, 1 }) }),
      { layer = layer, max_cells = 3 }))
    assert.same({ 1, 1, 1 }, results[2][1].gids)
  end)

  it("are counted in LDtk grids", function()
    local text = ldtk_sample.encode(ldtk_sample.sample())
    local level, message = ldtk(text, { tiles = "grid", max_cells = 5 })
    assert.is_nil(level)
    assert.matches("^LDtk text: levels%[1%]%.layerInstances%[%d%]: the document has more than 5 cells", message)
    assert(ldtk(text, { tiles = "grid", max_cells = 100 }))
  end)
end)

describe("the elements of a document", function()
  it("include Tiled layers, before their descriptions are created", function()
    local count = rounds(20000, 5000)
    local text = "{" .. HEAD .. ',"layers":[' .. ('{"type":"group"},'):rep(count) .. '{"type":"group"}]}'
    assert.equal(count + 1, #assert(tiled(text)).entities)
    refuses(too_many("Tiled text: layers[101]: ", 100, "elements"), tiled, text, { max_elements = 100 })
  end)

  it("include Tiled objects and tiles of tilesets", function()
    local function refused(layer, most, place, options, parts)
      options.max_elements = most
      refuses(too_many("Tiled text: " .. place .. ": ", most, "elements"), tiled,
        tiled_sample.encode(tiled_sample.map({ layer }, parts)), options)
    end
    local object = tiled_sample.object
    local things = tiled_sample.things(1, "T", { object(1, "a", nil, 0, 0), object(2, "b", nil, 0, 0) })
    local floor = tiled_sample.floor(1, "F", 2, 1, { 1, 1 })
    refused(things, 3, "layers[1].objects[2]", {})
    refused(floor, 1, "tilesets[1].tiles[1]", {})
  end)

  it("include a template's properties for each object that uses it", function()
    local properties, objects = {}, {}
    for index = 1, 64 do properties[index] = { name = "p" .. index, type = "int", value = index } end
    for index = 1, 5 do objects[index] = { id = index, template = "t.tj", x = 0, y = 0 } end
    local read = formats.reader { ["t.tj"] = tiled_sample.encode { type = "template",
      object = { name = "t", width = 1, height = 1, properties = properties } } }
    local text = tiled_sample.encode(tiled_sample.map { tiled_sample.things(1, "T", objects) })
    assert(tiled(text, { read = read, max_elements = 27 }))
    refuses(too_many("t.tj: object: ", 20, "elements"), tiled, text, { read = read, max_elements = 20 })
  end)

  it("include LDtk levels, layers and entities", function()
    local text = ldtk_sample.encode(ldtk_sample.sample())
    local level, message = ldtk(text, { max_elements = 2 })
    assert.is_nil(level)
    assert.matches("^LDtk text: levels%[1%]%.layerInstances%[%d%].*: the document has more than 2 elements", message)
    assert(ldtk(text, { max_elements = 100 }))
  end)

  it("include glTF nodes", function()
    local text = '{"asset":{"version":"2.0"},"nodes":[{},{},{}]}'
    assert.equal(3, #assert(gltf(text, { max_elements = 3 })).entities)
    refuses(too_many("glTF text: nodes[3]: ", 2, "elements"), gltf, text, { max_elements = 2 })
  end)

  if not has_expat then return end

  local function xml(groups)
    return '<map version="1.10" width="1" height="1" tilewidth="8" tileheight="8">' .. groups .. "</map>"
  end

  it("are counted while XML is parsed", function()
    local count = rounds(20000, 5000)
    local text = xml(("<group/>"):rep(count))
    assert.equal(count, #assert(tiled(text)).entities)
    refuses(too_many("Tiled text: ", 100, "elements"), tiled, text, { max_elements = 100 })
    local grown = refuses(too_many("Tiled text: ", 100, "elements"), tiled, xml(("<group/>"):rep(200000)),
      { max_elements = 100 })
    assert.is_true(grown < 8 * 1024, "grew by " .. grown .. " KB")
  end)

  it("do not include XML elements that are cells", function()
    local text = xml('<layer width="10" height="10"><data>' .. ("<tile/>"):rep(100) .. "</data></layer>")
    assert(tiled(text, { max_elements = 4 }))
    refuses(too_many("Tiled text: ", 99, "cells"), tiled, text, { max_cells = 99 })
  end)
end)

describe("a document that is nested too deep", function()
  local LAYERS = "Tiled text: groups of layers are nested too deep (limit is 1000)"

  it("is refused as JSON", function()
    local inner = '{"type":"group","layers":['
    local function text(depth) return "{" .. HEAD .. ',"layers":[' .. inner:rep(depth) .. ("]}"):rep(depth) .. "]}" end
    assert(tiled(text(1000)))
    refuses(LAYERS, tiled, text(1001))
    refuses(LAYERS, tiled, text(20000))
  end)

  it("is refused as a Lua export", function()
    local inner = "{ type = 'group', layers = {"
    refuses(LAYERS, tiled, "return { luaversion = '5.1', width = 1, height = 1, tilewidth = 1, tileheight = 1, "
      .. "layers = {" .. inner:rep(5000) .. ("} }"):rep(5000) .. "} }")
  end)

  if not has_expat then return end

  it("is refused as XML before the rest is parsed", function()
    local count = 100000
    local text = '<map version="1.10" width="1" height="1" tilewidth="8" tileheight="8">' .. ("<group>"):rep(count)
      .. ("</group>"):rep(count) .. "</map>"
    local grown = refuses("Tiled text: elements are nested too deep (limit is 1000)", tiled, text)
    assert.is_true(grown < 8 * 1024, "grew by " .. grown .. " KB")
  end)
end)

describe("a limit that is not a number from 0 on", function()
  it("raises", function()
    for _, import in ipairs { tiled, ldtk, gltf } do
      raises('option "max_cells": expected a number >= 0, got -1', import, "{}", { max_cells = -1 })
      raises('option "max_elements": expected a number >= 0, got ', import, "{}", { max_elements = 0 / 0 })
      raises('option "max_cells": expected number, got string', import, "{}", { max_cells = "many" })
    end
  end)
end)
