-- The example levels of the editors' pages and their drawings: the files in the folders are up to date.

local accessors = require "cuttle.import.gltf_accessors"
local json = require "cuttle.json"
local source = require "cuttle.import.source"
local tree = require "spec.support.tree"

describe("the editors' example levels", function()
  local files = require "examples.editors.main" ()

  it("are up to date, and so are their drawings", function()
    local count = 0
    for path, text in pairs(files) do
      count = count + 1
      assert.is_true(tree.read(path) == text, path .. " is out of date: run make editors")
      assert.is_true(#text < 40000, path)
    end
    assert.equal(8, count)
  end)

  it("are drawn tile by tile, with objects on top", function()
    local drawn, uses = files["docs/editors/tiled-cuttle.svg"], {}
    for tile, matrix in drawn:gmatch '<use href="#t(%d)" transform="matrix%((.-)%)"' do
      uses[#uses + 1] = tile .. ": " .. matrix
    end
    assert.equal(12 * 8 + 3, #uses)
    assert.equal("1: 1 0 0 1 0 0", uses[1])
    assert.equal("3: -1 0 0 1 112 16", uses[12 + 7])
    assert.equal("5: 1 0 0 1 24 24", uses[97])
  end)

  it("have boxes in the harbour whose vertices match the extras", function()
    local document = assert(json.decode(files["examples/editors/harbour.gltf"]))
    local read = accessors.new(source.cursor "harbour", {}, document, {})
    for _, node in ipairs(document.nodes) do
      local primitive, corners = document.meshes[node.mesh + 1].primitives[1], {}
      for _, vertex in ipairs(read:items(primitive.attributes, "POSITION", 3)) do
        corners[table.concat(vertex, " ")] = true
        assert.equal(node.extras.footprint[1] / 2, math.abs(vertex[1]))
        assert.equal(node.extras.footprint[2] / 2, math.abs(vertex[3]))
      end
      local count = 0
      for _ in pairs(corners) do count = count + 1 end
      assert.equal(8, count, node.name)
    end
  end)

  it("are drawn with the corners of the boxes in the harbour as Blender imports them", function()
    local corners = {}
    for points in files["docs/editors/gltf-cuttle.svg"]:gmatch 'points="(.-)"' do corners[#corners + 1] = points end
    assert.are.same({ "0,1.5 24,1.5 24,6.5 0,6.5", "3.86,11.93 12.77,7.39 14.14,10.07 5.23,14.61",
      "10.11,9.87 11,9.42 11.45,10.31 10.56,10.76", "10.58,6.4 11.51,3.55 12.7,3.93 11.77,6.79",
      "18.25,11.25 19.75,11.25 19.75,12.75 18.25,12.75" }, corners)
  end)
end)
