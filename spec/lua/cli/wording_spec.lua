-- Messages of the library, reworded with the flags of the command.

-- tags: pure_lua

local tree = require "spec.support.tree"
local wording = require "cuttle.cli.wording"

describe("a message of the command", function()
  it("names a flag for every option that the messages of the importers and of files.lua name", function()
    local paths, count = tree.files "lua/cuttle/import", 0
    paths[#paths + 1] = "lua/cuttle/files.lua"
    for _, path in ipairs(paths) do
      for line in tree.read(path):gmatch "[^\n]+" do
        for name in (line:find "^ *%-%-" and "" or line):gmatch '"[^"]*option ([%l_]+)' do
          assert.matches("%-%-%l", wording.of("option " .. name), path)
          count = count + 1
        end
      end
    end
    assert.is_true(count > 10)
  end)

  it("keeps other words", function()
    for _, text in ipairs { "the option is wrong", "option 'x'", "optional", "an option" } do
      assert.equal(text, wording.of(text))
    end
  end)

  it("names --components for an unknown component if it was not given", function()
    local unknown = "a: unknown component 'b'"
    assert.equal(unknown .. " (components of your own: --components)", wording.of(unknown))
    assert.equal(unknown, wording.of(unknown, "game.lua"))
    local near = "a: unknown component 'helth' (did you mean 'health'?)"
    assert.equal(near .. " (components of your own: --components)", wording.of(near))
    for _, text in ipairs { unknown .. ": x", unknown .. " (did you mean" } do assert.equal(text, wording.of(text)) end
  end)
end)
