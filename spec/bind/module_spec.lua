local cuttle = require "cuttle"
local collect = require "spec.support.collect"

describe("the module", function()
  it("loaded again in the same state is the same one", function()
    local core = require "cuttle.core"
    local loaded = package.loaded["cuttle.core"]
    package.loaded["cuttle.core"] = nil
    local again = require "cuttle.core"
    package.loaded["cuttle.core"] = loaded
    assert.equal(core, again)
  end)

  it("loaded again still knows the objects made before", function()
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

  it("tells its version", function()
    assert.matches("^cuttle %d+%.%d+%.%d+$", cuttle._VERSION)
  end)
end)
