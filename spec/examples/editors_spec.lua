-- The example levels of the editors' chapters, and their drawings: what stands in the folders is what is made.

local tree = require "spec.support.tree"

describe("the editors' example levels", function()
  local files = require "examples.editors.main" ()

  it("are what make editors writes, and so are their drawings", function()
    local count = 0
    for path, text in pairs(files) do
      count = count + 1
      assert.is_true(tree.read(path) == text, path .. " is out of date: run make editors")
      assert.is_true(#text < 40000, path)
    end
    assert.equal(7, count)
  end)

  it("are drawn tile by tile, with the objects over them", function()
    local drawn, uses = files["docs/editors/tiled-cuttle.svg"], {}
    for tile, matrix in drawn:gmatch '<use href="#t(%d)" transform="matrix%((.-)%)"' do
      uses[#uses + 1] = tile .. ": " .. matrix
    end
    assert.equal(12 * 8 + 3, #uses)
    assert.equal("1: 1 0 0 1 0 0", uses[1])
    assert.equal("3: -1 0 0 1 112 16", uses[12 + 7])
    assert.equal("5: 1 0 0 1 24 24", uses[97])
  end)
end)
