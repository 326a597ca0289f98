-- Helpers for levels with prefabs in a test's folder: level_files(now) -> compile, spawn, refuses. now() returns the
-- compiler, the world and the folder of the current test.

local assert = require "luassert"
local cuttle = require "cuttle"

return function(now)
  local function compile(entities)
    local compiler, _, files = now()
    return compiler:compile({ entities = entities }, { name = "level.json", directory = files.path })
  end

  local function spawn(entities)
    local _, world = now()
    return assert(world:spawn(assert(cuttle.resource((assert(compile(entities)))))))
  end

  -- `folder` stands for the test's folder in the text and in messages.
  local function refuses(text, entities)
    local _, _, files = now()
    local result, message = compile(entities)
    assert.is_nil(result)
    assert.equal(text, (message:gsub(files.path:gsub("%p", "%%%0"), "folder")))
  end

  return compile, spawn, refuses
end
