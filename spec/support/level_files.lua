-- What specs ask of levels whose prefabs lie in a folder of the test: level_files(now) -> compile, spawn, refuses;
-- now() answers the compiler, the world and the folder of the test that runs.

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

  -- `folder` stands for the folder of the test in the text and in messages.
  local function refuses(text, entities)
    local _, _, files = now()
    local result, message = compile(entities)
    assert.is_nil(result)
    assert.equal(text, (message:gsub(files.path:gsub("%p", "%%%0"), "folder")))
  end

  return compile, spawn, refuses
end
