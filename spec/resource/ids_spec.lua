-- Source ids in compiled levels, by which level:patch matches entities.

local blob = require "spec.support.blob"
local cuttle = require "cuttle"
local folder = require "spec.support.folder"

describe("source ids in a level", function()
  local world, compiler

  before_each(function()
    world = cuttle.world(cuttle.entity_manager())
    compiler = cuttle.compiler(world)
  end)

  local function compile(source, options) return assert(compiler:compile(source, options)) end

  -- Returns for the number of each entity with an id: the id, and the number of the entity in whose scope it is unique.
  local function ids_in(bytes)
    local section, found = blob.read(bytes).sections["entity.id"], {}
    if not section then return found end
    local big, count = blob.is_big(bytes), section.num_instances
    local scopes = section.data + math.ceil(count * 4 / 16) * 16
    local strings = scopes + math.ceil(count * 4 / 16) * 16
    for i = 1, count do
      local scope = blob.u32(bytes, scopes + (i - 1) * 4, big)
      found[section.entity_index[i] + 1] =
        { blob.text(bytes, strings, blob.u32(bytes, section.data + (i - 1) * 4, big), big),
          scope < 2 ^ 32 - 1 and scope + 1 or 0 }
    end
    return found
  end

  it("have a section of their own, in either byte order", function()
    local source = { entities = { { id = "a", name = "x" }, {}, { id = 7, children = { { id = "b" } } } } }
    for _, endian in ipairs { "little", "big" } do
      assert.same({ { "a", 0 }, nil, { "7", 0 }, { "b", 0 } }, ids_in(compile(source, { endian = endian })))
    end
  end)

  it("take no space if no entity has one", function()
    assert.is_nil(blob.read(compile { entities = { { name = "a" } } }).sections["entity.id"])
  end)

  it("are unique within the instance of a prefab", function()
    local place = folder.new()
    place:write("lamp.json", '{"entities":[{"id":"root","children":[{"id":"bulb"}]}]}')
    local level = { entities = { { prefab = "lamp.json", id = "one", children = { { id = "cat" } } },
      { prefab = "lamp.json" } } }
    -- The id of a root is that of the entry which includes the file.
    assert.same({ { "one", 0 }, { "bulb", 1 }, { "cat", 0 }, nil, { "bulb", 4 } },
      ids_in(compile(level, { directory = place.path })))
    place:remove()
  end)

  it("are not components: they are not skipped, described or counted", function()
    local resource = assert(cuttle.resource(compile { entities = { { id = "a" } } }))
    assert.same({}, resource:component_types())
    assert.not_matches("entity.id", resource:describe(), 1, true)
    assert.same({}, assert(world:spawn(resource, { unknown = "error" })):skipped())
  end)
end)
