-- The files that an importer may read for a document, and the messages about them.

local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local gltf = require "cuttle.import.gltf"
local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local lfs = require "lfs"
local tiled = require "cuttle.import.tiled"

local can_link = package.config:sub(1, 1) == "/"
local has_expat = pcall(require, "lxp")

-- The contents of files that must not be read.
local SECRET = "hunter2"

local MAP = '{"tilewidth":8,"tileheight":8,"width":1,"height":1,"layers":[%s],"tilesets":[%s]}'
local MAP_AS_XML = '<map version="1.10" width="1" height="1" tilewidth="8" tileheight="8">%s</map>'

-- Importers, documents that name a file at a path, and the place of the path.
local NAMING = {
  { "a tileset of Tiled", tiled, function(path)
    return MAP:format("", ('{"firstgid":1,"source":"%s"}'):format(path))
  end, "tilesets[1].source" },
  { "a template of Tiled", tiled, function(path)
    return MAP:format(('{"type":"objectgroup","objects":[{"id":1,"x":0,"y":0,"template":"%s"}]}'):format(path), "")
  end, "layers[1].objects[1].template" },
  { "a map in a world of Tiled", tiled, function(path)
    return ('{"type":"world","maps":[{"fileName":"%s","x":0,"y":0}]}'):format(path)
  end, "maps[1].fileName" },
  { "a tileset in a Lua export of Tiled", tiled, function(path)
    return ("return { luaversion = '5.1', width = 1, height = 1, tilewidth = 1, tileheight = 1, layers = {}, "
      .. "tilesets = { { firstgid = 1, filename = '%s' } } }"):format(path)
  end, "tilesets[1].source" },
  { "a level of LDtk", ldtk, function(path)
    local text = ldtk_sample.split "part_"
    return (text:gsub("part_1%.ldtkl", path))
  end, "levels[1].externalRelPath" },
  { "a buffer of glTF", gltf, function(path)
    return ('{"asset":{"version":"2.0"},"nodes":[{"extensions":{"EXT_mesh_gpu_instancing":{"attributes":'
      .. '{"TRANSLATION":0}}}}],"accessors":[{"type":"VEC3","count":1,"componentType":5126,"bufferView":0}],'
      .. '"bufferViews":[{"buffer":0,"byteLength":12}],"buffers":[{"byteLength":12,"uri":"%s"}]}'):format(path)
  end, "buffers[1].uri" },
}
if has_expat then
  NAMING[#NAMING + 1] = { "a tileset in a .tmx of Tiled", tiled, function(path)
    return MAP_AS_XML:format(('<tileset firstgid="1" source="%s"/>'):format(path))
  end, "tilesets[1].source" }
end

local files
before_each(function()
  files = folder.new()
  files.path = files.path:gsub("\\", "/") -- of Windows: the path becomes part of texts
  files:make "maps"
  files:make "other"
  files:write("other/secret", SECRET)
end)
after_each(function() files:remove() end)

-- Asserts that an import is refused, and that the message contains a text, but not the secret.
local function refuses(expected, import, text, options)
  local level, message = import(text, options)
  assert.is_nil(level)
  assert.is_truthy(message:find(expected, 1, true), message)
  assert.is_nil(message:find("hunter", 1, true), message)
end

for _, case in ipairs(NAMING) do
  local subject, import, document, place = case[1], case[2], case[3], case[4]

  describe("the path of " .. subject, function()
    local function refused(path, options, reason, text)
      refuses(place .. ": cannot read a file: ", import, text or document(path), options)
      refuses(reason .. " (option root)", import, text or document(path), options)
    end

    it("may not leave the folder of the document", function()
      local maps = files:at "maps/"
      local path = files:write("maps/map", document "../other/secret")
      refused(nil, nil, "other/secret is outside of " .. maps, path)
      files:write("maps/map", document(files:at "other/secret"))
      refused(nil, nil, files:at "other/secret" .. " is outside of " .. maps, path)
      files:write("maps/map", document "sub/../../other/secret")
      refused(nil, nil, "other/secret is outside of " .. maps, path)
    end)

    it("may not leave the directory of a text", function()
      local options = { directory = files:at "maps" }
      refused("../other/secret", options, "other/secret is outside of " .. files:at "maps")
      refused("/etc/passwd", options, "/etc/passwd is outside of " .. files:at "maps")
    end)

    it("may not be absolute if a text has no directory", function()
      refuses('"/etc/passwd" is a separate file: pass option directory', import, document "/etc/passwd")
    end)

    it("is compared by its text if the option read is set", function()
      local function read() error "nothing is read" end
      refused("../secret", { read = read }, "../secret is outside of .")
      refused("/etc/passwd", { read = read }, "/etc/passwd is outside of .")
      refused("../secret", { read = read, directory = "maps" }, "secret is outside of maps")
      refused("../../secret", { read = read, directory = "a/maps", root = "a" }, "secret is outside of a")
    end)

    it("may lead up to the option root, and no message quotes the file", function()
      local options = { directory = files:at "maps", root = files.path }
      refuses("", import, document "../other/secret", options)
      assert.is_nil(select(2, import(document "../other/secret", options)):find("option root", 1, true))
    end)

    if not can_link then return end

    it("may not leave the folder through a link", function()
      assert(lfs.link(files:at "other/secret", files:at "maps/link", true))
      assert(lfs.link(files:at "other", files:at "maps/folder", true))
      local options = { directory = files:at "maps" }
      for _, path in ipairs { "link", "folder/secret" } do
        refused(path, options, ("%s is a link to a file outside of %s"):format(files:at("maps/" .. path),
          files:at "maps"))
      end
    end)

    it("may lead through a link inside the folder", function()
      files:write("maps/there", SECRET)
      assert(lfs.link("there", files:at "maps/link", true))
      assert(lfs.link(files:at "maps", files:at "alias", true))
      for directory, path in pairs { maps = "link", alias = "there" } do
        local options = { directory = files:at(directory) }
        refuses("", import, document(path), options)
        assert.is_nil(select(2, import(document(path), options)):find("option root", 1, true))
      end
    end)
  end)
end

if can_link then
  describe("a path through a link and back", function()
    it("is refused", function()
      assert(lfs.link(files:at "other", files:at "maps/folder", true))
      refuses("maps/folder/../other/secret is a link to a file outside of", ldtk,
        NAMING[5][3] "folder/../other/secret", { directory = files:at "maps" })
    end)
  end)
end

describe("a relative path and an absolute root", function()
  it("are compared by the folders they refer to", function()
    local here = lfs.currentdir()
    finally(function() lfs.chdir(here) end)
    lfs.chdir(files.path)
    files:write("maps/set.tsj", '{"tilewidth":8,"tileheight":8,"image":"a.png"}')
    local document = NAMING[1][3]
    assert(tiled(document "set.tsj", { directory = "maps", root = files.path }))
    assert(tiled(document(files:at "maps/set.tsj"), { directory = "maps" }))
    refuses("cannot read maps/none.tsj: No such file", tiled, document "none.tsj",
      { directory = "maps", root = files.path })
    refuses("maps/set.tsj is outside of " .. files:at "other", tiled, document "set.tsj",
      { directory = "maps", root = files:at "other" })
    refuses("none.tsj is outside of maps", tiled, document(files:at "other/none.tsj"), { directory = "maps" })
  end)
end)

describe("a file that a document names", function()
  local document = NAMING[1][3]
  local function read_as(text)
    return { directory = files:at "maps", read = function() return text end }
  end

  it("is not quoted if it has another format", function()
    for text, expected in pairs {
      [SECRET .. ":x:0:0"] = "maps/set: line 1 column 1: this is not JSON",
      ['{"hunter":1,"hunter":2}'] = "maps/set: line 1 column 13: an object has a duplicate key",
      ['"hunter2"'] = "maps/set: expected an object, got a string",
      ['{"tilewidth":"hunter \\" 2"}'] = "maps/set: tilewidth: expected an integer, got a string",
      ['{"tilewidth":8,"tileheight":8,"objectalignment":"hunter2"}'] =
        "maps/set: objectalignment: unknown value a string",
      ["return { hunter2 }"] = "maps/set: line 1 column 10: expected data, got something else",
      ["return { a = 1 } hunter2"] = "maps/set: line 1 column 18: expected the end, got something else",
    } do
      refuses(expected, tiled, document "set", read_as(text))
    end
    if has_expat then
      refuses("maps/set: not a file of Tiled (its root is another element)", tiled, document "set",
        read_as "<hunter2/>")
    end
  end)

  it("is not quoted in errors of its layers", function()
    local world = NAMING[3][3] "cave"
    local layer = '{"type":"objectgroup","name":"hunter2","objects":[{"id":1,"x":0,"y":0,"name":"hunter3"}]}'
    local options = read_as(MAP:format(layer, ""))
    options.layer = function() error("no", 0) end
    refuses("maps/cave: layers[1]: the mapping of a layer raised: no", tiled, world, options)
    options.layer, options.components = nil, { ["*"] = function() return 5 end }
    refuses("maps/cave: layers[1].objects[1]: the mapping of an object: expected a table", tiled, world, options)
  end)

  it("is not quoted in a warning", function()
    local text, parts = ldtk_sample.split "part_"
    local part = parts["part_1.ldtkl"]:gsub('"iid":"[^"]*"', '"iid":"hunter2"')
    local _, warnings = assert(ldtk(text, { read = function() return part end,
      levels = function(level) return level.index == 1 end }))
    local all = table.concat(warnings, "\n")
    assert.matches("is not unique, such as one of ", all)
    assert.is_nil(all:find("hunter", 1, true))
  end)

  it("is not quoted if it is an LDtk level or a prefab", function()
    refuses("this is not JSON", ldtk, (ldtk_sample.split "part_"), read_as(SECRET))
    local compiler = cuttle.compiler(cuttle.world(cuttle.entity_manager()))
    local function compile(level, options) return compiler:compile(level, options) end
    refuses("secret: line 1 column 1: this is not JSON", compile,
      { entities = { { prefab = "other/secret" } } }, { directory = files.path })
  end)
end)

if can_link then
  describe("the path of a prefab", function()
    it("may not leave the root through a link", function()
      files:write("other/lamp.json", '{"entities":[{"name":"lamp"}]}')
      assert(lfs.link(files:at "other/lamp.json", files:at "maps/lamp.json", true))
      local compiler = cuttle.compiler(cuttle.world(cuttle.entity_manager()))
      local level, options = { entities = { { prefab = "lamp.json" } } }, { directory = files:at "maps" }
      assert(compiler:compile(level, options))
      options.root = files:at "maps"
      local blob, message = compiler:compile(level, options)
      assert.is_nil(blob)
      assert.equal(("source: entities[1].prefab: %s is a link to a file outside of %s, which prefabs must not leave")
        :format(files:at "maps/lamp.json", files:at "maps"), message)
    end)
  end)
end

if has_expat then
  describe("Tiled XML", function()
    local function import(head, name)
      return tiled(head .. MAP_AS_XML:format(('<group name="%s"/>'):format(name)))
    end

    it("may use the five predefined entities and character numbers", function()
      assert.equal("<>&'\"A", assert(import("", "&lt;&gt;&amp;&apos;&quot;&#65;")).entities[1].name)
    end)

    it("may not use other entities", function()
      refuses("undefined entity", import, "", "&secret;")
    end)

    it("may not declare entities", function()
      files:write("other/secret", SECRET)
      for _, declared in ipairs { '<!ENTITY secret "a">', '<!ENTITY % secret SYSTEM "x">',
        ('<!ENTITY secret SYSTEM "file://%s">'):format(files:at "other/secret") } do
        refuses("document types with declarations are not supported", import,
          "<!DOCTYPE map [" .. declared .. "]>", "&secret;")
      end
    end)

    it("is read without its document type", function()
      files:write("map.dtd", '<!ENTITY secret "a">')
      local head = ('<!DOCTYPE map SYSTEM "file://%s">'):format(files:at "map.dtd")
      assert.equal("a", assert(import(head, "a")).entities[1].name)
      local level = import(head, "&secret;x")
      assert.is_true(level == nil or level.entities[1].name == "x")
    end)
  end)
end
