-- Saves and compiled levels that are longer than the host's strings can be. Test builds lower that limit, which is
-- 2 GB in LuaJIT.

local collect = require "spec.support.collect"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"

describe("data that is too long for a string", function()
  local limit = core.testing and core.testing.string_limit
  if not limit then
    it("is refused with a message", function() pending "only test builds make strings end early" end)
    return
  end

  local entities, world, compiler

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    compiler = cuttle.compiler(world)
  end)

  after_each(function() limit(0) end)

  local function held_bytes()
    collect()
    return core.testing.held_bytes()
  end

  it("of a save is refused with a message, and no memory is leaked", function()
    world:create({ transform = {} }, 100)
    local snapshot = entities:snapshot()
    local save, hash, held = snapshot:tostring(), entities:hash(), held_bytes()
    limit(#save)
    raises("a save cannot be larger than 2 GB under LuaJIT", snapshot.tostring, snapshot)
    assert.equal(held, held_bytes())
    limit(#save + 1)
    assert.equal(save, snapshot:tostring())
    assert.equal(hash, entities:hash())
  end)

  it("of a level is refused with a message, and no memory is leaked", function()
    local source = { entities = { { components = { transform = {} } }, { components = { transform = {} } } } }
    local blob = assert(compiler:compile(source))
    local held = held_bytes()
    -- One limit is reached while a component is compiled, the other by the complete resource.
    for _, bytes in ipairs { 1, #blob } do
      limit(bytes)
      raises("a resource cannot be larger than 2 GB under LuaJIT", compiler.compile, compiler, source)
      assert.equal(held, held_bytes())
    end
    limit(#blob + 1)
    assert.equal(blob, (compiler:compile(source)))
  end)
end)
