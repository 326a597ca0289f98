-- Results of mappings in all importers: instances of prefabs. And documents that belong to another importer.

local cuttle = require "cuttle"
local gltf = require "cuttle.import.gltf"
local json = require "cuttle.json"
local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local tiled = require "cuttle.import.tiled"

local function tiled_map()
  return assert(json.encode { type = "map", version = "1.10", orientation = "orthogonal", width = 1, height = 1,
    tilewidth = 16, tileheight = 16, tilesets = { { firstgid = 1, name = "G", tilewidth = 16, tileheight = 16,
      tilecount = 1, columns = 1, image = "g.png", imagewidth = 16, imageheight = 16 } }, layers = {
      { type = "tilelayer", id = 1, name = "L", width = 1, height = 1, data = { 1 } },
      { type = "objectgroup", id = 2, name = "O", objects = {
        { id = 1, name = "bob", type = "Guard", x = 4, y = 8 } } } } })
end

local function scene()
  return assert(json.encode { asset = { version = "2.0" }, scenes = { { nodes = { 0 } } },
    nodes = { { name = "Guard", translation = { 1, 2, 3 } } } })
end

-- The importers with a mapping of one entity, and where this entity is.
local WAYS = {
  Tiled = { function(mapping) return tiled(tiled_map(), { tiles = true, components = { Guard = mapping } }) end,
    function(level) return level.entities[2].children[1] end, { 4, 8, 0 }, "object Guard" },
  ["Tiled's tiles"] = { function(mapping) return tiled(tiled_map(), { tile = mapping }) end,
    function(level) return level.entities[1].children[1] end, { 0, 0, 0 }, "a tile" },
  glTF = { function(mapping) return gltf(scene(), { components = { Guard = mapping } }) end,
    function(level) return level.entities[1] end, { 1, 2, 3 }, "node Guard" },
  LDtk = { function(mapping)
    return ldtk(ldtk_sample.encode(ldtk_sample.sample()), { levels = { "A" }, components = { ["*"] = mapping } })
  end, function(level) return level.entities[1].children[1].children[1] end, nil, "entity Player" },
}

for name, way in pairs(WAYS) do
  local import, find, position, subject = way[1], way[2], way[3], way[4]

  describe("the third result of a mapping of " .. name, function()
    it("makes an instance of a prefab, with overrides", function()
      local overrides = { hand = { health = { hp = 3 } } }
      local level = assert(import(function()
        return { health = { hp = 5 } }, "guard", { prefab = "guard", overrides = overrides }
      end))
      local node = find(level)
      assert.same({ "guard", overrides, "guard" }, { node.prefab, node.overrides, node.name })
      assert.same({ hp = 5 }, node.components.health)
      if position then assert.same(position, node.components.transform.position) end
      node = find(assert(import(function() return nil, nil, { prefab = "guard" } end)))
      assert.same({ prefab = "guard" }, { prefab = node.prefab, overrides = node.overrides })
    end)

    it("is refused if it is something else", function()
      local function refused(result)
        local level, message = import(function() return nil, nil, result end)
        assert.is_nil(level)
        return (message:match("the mapping of .*$"))
      end
      local begin = "the mapping of " .. subject .. ": "
      assert.equal(begin .. "expected a table as third result, got string", refused("guard"))
      assert.equal(begin .. "expected a string as prefab, got nil", refused({}))
      assert.equal(begin .. "expected a string as prefab, got number", refused({ prefab = 5 }))
      assert.equal(begin .. "expected a table as overrides, got string", refused({ prefab = "a", overrides = "b" }))
      assert.equal(begin .. 'unknown key "prefabs" in the third result (did you mean \'prefab\'?)',
        refused({ prefabs = "a" }))
    end)
  end)
end

describe("an object that is an instance of a prefab", function()
  it("is spawned with the prefab's components, children and its own values", function()
    local world = cuttle.world(cuttle.entity_manager())
    world:define("health", { { "hp", "float" }, { "armour", "float" } })
    local level = assert(tiled(tiled_map(), { tiles = false, components = { Guard = function()
      return { health = { hp = 7 } }, nil, { prefab = "guard", overrides = { sword = { health = { hp = 1 } } } }
    end } }))
    local prefab = assert(json.encode { version = 1, entities = { { name = "guard",
      components = { health = { hp = 2, armour = 4 } },
      children = { { name = "sword", components = { transform = { position = { 1, 0, 0 } }, health = { hp = 9 } } } }
      } } })
    local compiler = cuttle.compiler(world)
    local spawned = assert(world:spawn(cuttle.resource(assert(compiler:compile(level,
      { read = function(path) return path:find "guard" and prefab or nil, "no such file" end })))))
    local bob = assert(spawned:find "O/bob")
    assert.same({ 7, 4 }, { world.health:hp(bob), world.health:armour(bob) })
    assert.same({ 4, 8, 0 }, { world.transform:local_position(bob) })
    assert.equal(1, world.health:hp(assert(spawned:find "O/bob/sword")))
  end)
end)

describe("a document of another editor", function()
  it("is refused with the name of its importer", function()
    local _, message = tiled(ldtk_sample.encode(ldtk_sample.sample()))
    assert.equal("Tiled text: a project of LDtk, not a map of Tiled: use the ldtk importer", message)
    _, message = ldtk(tiled_map())
    assert.equal("LDtk text: a file of Tiled, not an LDtk project: use the tiled importer for the map", message)
  end)

  it("of glTF 1.0 in a binary container is refused as in a .gltf", function()
    local _, message = gltf("glTF\1\0\0\0\20\0\0\0" .. ("\0"):rep(8))
    assert.equal("glTF text: offset 4: glTF 1.0 is older than this importer supports (2.x): export it as glTF 2.0",
      message)
  end)
end)

describe("a tile of the first files of LDtk 1.0", function()
  it("has its rectangle as four numbers", function()
    local tile
    assert(ldtk(ldtk_sample.encode(ldtk_sample.changed(function(_, level)
      level.layerInstances[1].entityInstances[1].__tile = { tilesetUid = 1, srcRect = { 16, 32, 8, 4 } }
    end)), { levels = { "A" }, components = { ["*"] = function(_, entity) tile = tile or entity.tile end } }))
    assert.same({ 16, 32, 8, 4 }, { tile.x, tile.y, tile.width, tile.height })
  end)
end)
