-- The module cuttle.core, loaded once or again.

local cuttle = require "cuttle"
local collect = require "spec.support.collect"

describe("the module cuttle.core", function()
  it("is the same module when it is loaded again in the same state", function()
    local core = require "cuttle.core"
    local loaded = package.loaded["cuttle.core"]
    package.loaded["cuttle.core"] = nil
    local again = require "cuttle.core"
    package.loaded["cuttle.core"] = loaded
    assert.equal(core, again)
  end)

  it("accepts existing objects after it is loaded again", function()
    local list = cuttle.list()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local view = world:define("health", { { "hp", "float" } }):column "hp"
    local e = entities:create()
    world.health:create(e, { hp = 5 })
    local loaded = package.loaded["cuttle.core"]
    package.loaded["cuttle.core"] = nil
    require "cuttle.core"
    package.loaded["cuttle.core"] = loaded
    list:add(e)
    assert.equal(1, entities:destroy(list))
    assert.equal(5, view[0])
    assert.equal(0, cuttle.list():count())
    assert.is_true(world:validate())
    collect()
  end)

  it("has a version", function()
    assert.matches("^cuttle %d+%.%d+%.%d+$", cuttle._VERSION)
  end)
end)
