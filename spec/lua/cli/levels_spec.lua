-- The commands that read levels or write other files from them: describe, validate, import, annotate, schema.

-- tags: pure_lua

local core = require "cuttle.core"
local cuttle = require "cuttle"
local json = require "cuttle.json"
local blob = require "spec.support.blob"
local command = require "spec.support.command"
local folders = require "spec.support.folder"
local formats = require "spec.support.tiled_formats"
local gltf_sample = require "spec.support.gltf_sample"
local ldtk_sample = require "spec.support.ldtk_sample"
local tiled_sample = require "spec.support.tiled_sample"

local GOAT, BAD, BAD_PLACE, HEALTHY, DEFINE_HEALTH, run, run_on, assert_silent, assert_output, assert_bad_data,
  assert_misused, compiled = command.GOAT, command.BAD, command.BAD_PLACE, command.HEALTHY, command.DEFINE_HEALTH,
  command.run, command.run_on, command.assert_silent, command.assert_output, command.assert_bad_data,
  command.assert_misused, command.compiled

describe("the command", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  describe("describes", function()
    it("a compiled level", function()
      local bytes = compiled(GOAT)
      assert_output(cuttle.resource(bytes):describe() .. "\n", run("describe", folder:write("goat.level", bytes)))
    end)

    it("a level source by compiling it in memory", function()
      local text = cuttle.resource(compiled(GOAT)):describe()
      assert_output(text .. "\n", run("describe", folder:write("goat.json", GOAT)))
      assert.are.same({ "goat.json" }, folder:names())
    end)

    it("standard input", function()
      assert_output(cuttle.resource(compiled(GOAT)):describe() .. "\n", run_on(compiled(GOAT), "describe", "-"))
      assert_output(cuttle.resource(compiled(GOAT)):describe() .. "\n", run_on(GOAT, "describe", "-"))
    end)

    it("several levels, each below its file name", function()
      local text = cuttle.resource(compiled(GOAT)):describe() .. "\n"
      local a, b = folder:write("a.json", GOAT), folder:write("b.level", compiled(GOAT))
      assert_output(("%s:\n%s\n%s:\n%s"):format(a, text, b, text), run("describe", a, b))
    end)

    it("as many lines of the tree as --tree requests", function()
      local many = { entities = {} }
      for index = 1, 200 do many.entities[index] = { name = "n" .. index } end
      local resource = cuttle.resource(compiled(many))
      local path = folder:write("many.json", json.encode(many))
      for _, lines in ipairs({ 0, 3, "all" }) do
        assert_output(resource:describe({ tree = lines }) .. "\n", run("describe", path, "--tree", tostring(lines)))
      end
      assert_output(resource:describe({ tree = "all" }) .. "\n", run("describe", path, "--tree", "1e30"))
    end)

    it("no tree for a wrong number of lines", function()
      for _, lines in ipairs({ "-1", "1.5", "x", "" }) do
        assert_misused(("option '--tree': expected a number of lines or 'all', got '%s'"):format(lines),
          run("describe", "a", "--tree=" .. lines))
      end
    end)

    it("no damaged level", function()
      local path = folder:write("goat.level", compiled(GOAT):sub(1, -5))
      local code, output, errors = run("describe", path)
      assert.equal(1, code)
      assert.equal("", output)
      assert.equal(path .. ": ", errors:sub(1, #path + 2))
    end)

    it("no file that is not a level", function()
      local path = folder:write("goat.level", "hello")
      assert.is_truthy(select(3, run("describe", path)):find("not an entity resource", 1, true))
    end)

    it("the other levels when one is wrong", function()
      local bad = folder:write("bad.json", BAD)
      local code, output, errors = run("describe", bad, folder:write("goat.json", GOAT))
      assert.equal(1, code)
      assert.equal(bad .. ": " .. BAD_PLACE .. "\n", errors)
      assert.is_truthy(output:find(cuttle.resource(compiled(GOAT)):describe(), 1, true))
    end)
  end)

  describe("validates", function()
    it("sources and compiled levels without output", function()
      assert_silent(run("validate", folder:write("a.json", GOAT), folder:write("b.level", compiled(GOAT))))
      assert.are.same({ "a.json", "b.level" }, folder:names())
    end)

    it("with one line for each file when --verbose is set", function()
      local a, b = folder:write("a.json", GOAT), folder:write("b.level", compiled(GOAT))
      assert_output(a .. ": ok\n" .. b .. ": ok\n", run("validate", "-v", a, b))
      assert_output(a .. ": ok\n", run("validate", "--verbose", a))
    end)

    it("standard input", function()
      assert_output("standard input: ok\n", run_on(GOAT, "validate", "-v", "-"))
    end)

    it("a source, and reports the place of an error", function()
      local path = folder:write("bad.json", BAD)
      assert_bad_data(path .. ": " .. BAD_PLACE, run("validate", path))
    end)

    it("a source, and reports all errors", function()
      local path = folder:write("bad.json", [[{ "entites": [], "entities": [
        { "components": { "transform": { "position": [1], "scal": 2 }, "health": {} } }, { "parent": "x" } ] }]])
      local code, output, errors = run("validate", path)
      assert.equal(1, code)
      assert.equal("", output)
      assert.equal((([[
FILE: unknown key 'entites' (did you mean 'entities'?)
FILE: entities[1].components.transform.position: expected 3 numbers, got 1
FILE: entities[1].components.transform: unknown field 'scal' (did you mean 'scale'?)
FILE: entities[1].components: unknown component 'health' (components of your own: --components)
FILE: entities[2].parent: unknown entity "x"
]]):gsub("FILE", path)), errors)
      -- Compiling reports only the first error.
      assert_bad_data(path .. ": unknown key 'entites' (did you mean 'entities'?)", run("compile", path))
    end)

    it("a source, and refuses unknown components", function()
      local path = folder:write("a.json", HEALTHY)
      assert_bad_data(path .. ": entities[1].components: unknown component 'health' (components of your own: "
        .. "--components)", run("validate", path))
    end)

    it("a source with script-defined components", function()
      local components = folder:write("components.lua", DEFINE_HEALTH)
      assert_silent(run("validate", folder:write("a.json", HEALTHY), "--components", components))
    end)

    it("a compiled level, and lists the script-defined components that it could not check", function()
      local components = folder:write("components.lua", DEFINE_HEALTH)
      assert.equal(0, (run("compile", folder:write("a.json", HEALTHY), "--components", components)))
      local path = folder:at "a.level"
      assert_silent(run("validate", path))
      assert_output(path .. ": ok, fields not checked: health\n", run("validate", "-v", path))
      assert_output(path .. ": ok\n", run("validate", "-v", path, "--components", components))
    end)

    it("a compiled level, and refuses components whose fields have changed", function()
      local components = folder:write("components.lua", DEFINE_HEALTH)
      assert.equal(0, (run("compile", folder:write("a.json", HEALTHY), "--components", components)))
      folder:write("components.lua", [[return function(world) world:define("health", { { "hp", "double" } }) end]])
      assert_bad_data(folder:at "a.level"
        .. ": health: the resource was compiled for other fields (hp was int32, is double): compile it again",
        run("validate", folder:at "a.level", "--components", components))
    end)

    it("a compiled level, and finds damage in script-defined components", function()
      local components = folder:write("components.lua", [[return function(world)
        world:define("health", { { "hurt", "bool" } })
      end]])
      local _, bytes = run_on([[{ "entities": [ { "components": { "health": { "hurt": true } } } ] }]], "compile", "-",
        "--components", components)
      local schema = assert(cuttle.resource(bytes))
      assert.equal(1, schema:entity_count())
      local damaged
      for place = #bytes - 1, 0, -1 do -- the last byte that is 1 is the bool
        if bytes:byte(place + 1) == 1 then
          damaged = blob.seal(blob.put(bytes, place, "\2"))
          break
        end
      end
      local path = folder:write("a.level", damaged)
      assert_silent(run("validate", path))
      local code, _, errors = run("validate", path, "--components", components)
      assert.equal(1, code)
      assert.equal(path .. ": health", errors:sub(1, #path + 8))
    end)

    it("meshes and models whose resources are not defined", function()
      local text = [[{ "entities": [ { "components": { "mesh": { "resource": "hull" } } } ] }]]
      local components = folder:write("components.lua", "return function() end")
      assert_silent(run("validate", folder:write("a.json", text), "--components", components))
      assert_silent(run("validate", folder:write("a.level", compiled(text)), "--components", components))
    end)

    it("a level of the other byte order, and refuses it", function()
      local other = core.compile.host_endian() == "little" and "big" or "little"
      local code, bytes = run_on(GOAT, "compile", "-", "--endian", other)
      assert.equal(0, code)
      local path = folder:write("a.level", bytes)
      local failed, _, errors = run("validate", path)
      assert.equal(1, failed)
      assert.is_truthy(errors:find("was compiled for .- machines"), errors)
    end)

    it("all files, even if some are wrong", function()
      local code, output, errors = run("validate", "-v", folder:at "no.json", folder:write("bad.json", BAD),
        folder.path, folder:write("a.json", GOAT))
      assert.equal(1, code)
      assert.equal(folder:at "a.json: ok\n", output)
      assert.equal(table.concat({ folder:at "no.json: No such file or directory", folder:at "bad.json: " .. BAD_PLACE,
        folder.path .. ": Is a directory", "" }, "\n"), errors)
    end)
  end)

  describe("imports", function()
    local function sample() return ldtk_sample.encode(ldtk_sample.sample()) end

    it("a level of each editor as native JSON that compiles to the same bytes", function()
      local texts = { ["a.ldtk"] = sample(), ["a.gltf"] = gltf_sample.encode(gltf_sample.sample()),
        ["a.tmj"] = ldtk_sample.encode(tiled_sample.sample()) }
      for name, text in pairs(texts) do
        local path = folder:write(name, text)
        local code, output, errors = run("import", path)
        assert.equal("", command.without_warnings(errors))
        assert.equal(0, code)
        assert_output(compiled(output), run("compile", path, "-o", "-"))
      end
    end)

    it("the same level to the same text", function()
      local path = folder:write("a.ldtk", sample())
      local _, first = run("import", path)
      local _, second = run("import", path)
      assert.equal(first, second)
    end)

    it("to a file", function()
      local path = folder:write("a.ldtk", sample())
      assert_silent(run("import", path, "-o", folder:at "a.json"))
      assert.equal(select(2, run("import", path)), folder:read "a.json")
    end)

    it("standard input in the format of --format", function()
      assert_output(select(2, run("import", folder:write("a.ldtk", sample()))),
        run_on(sample(), "import", "-", "--format", "ldtk"))
    end)

    it("tiles with --tiles and --int-grid", function()
      local path = folder:write("a.ldtk", sample())
      local function count(...) return #select(2, run("import", path, ...)) end
      assert.is_true(count "--tiles" > count())
      assert.is_true(count "--int-grid" > count())
    end)

    it("custom fields into the component of --fields", function()
      local path = folder:write("a.ldtk", sample())
      local level = assert(json.decode(select(2, run("import", path, "--fields", "props"))))
      assert.equal(12, level.entities[1].children[1].children[1].components.props.value.hp)
    end)

    it("depths as z with --depth", function()
      local level = assert(json.decode(select(2, run("import", folder:write("a.ldtk", sample()), "--depth"))))
      assert.same({ 100, 200, 1 }, level.entities[1].components.transform.position)
    end)

    it("with warnings about everything that is left out", function()
      local path = folder:write("a.ldtk", sample())
      local code, _, errors = run("import", path)
      assert.equal(0, code)
      assert.equal(("warning: %s: 4 tiles are left out: --tiles or --grids converts them to entities or grids\n"
        .. "warning: %s: 2 int grid cells are left out: --int-grid converts them to entities\n"
        .. "warning: %s: 19 custom fields are left out (3 parts without a mapping): --mappings maps them, "
        .. "--fields keeps them\n"):format(path, path, path), errors)
      assert.equal("", (select(3, run("import", path, "--tiles", "--int-grid", "--fields", "props"))))
      assert.equal(errors, (select(3, run("compile", path))))
    end)

    it("no single level file of an LDtk project", function()
      local path = folder:write("a.ldtkl", ldtk_sample.encode(ldtk_sample.sample().levels[1]))
      assert_bad_data(path .. ": a separate level file of LDtk: import the project (.ldtk) it belongs to",
        run("import", path))
    end)

    it("one level of a project", function()
      local path = folder:write("a.ldtk", sample())
      local level = assert(json.decode(select(2, run("import", path, "--level", "B"))))
      assert.equal(1, #level.entities)
      assert.equal("B", level.entities[1].name)
      level = assert(json.decode(select(2, run("import", path, "--level", "B", "--level", "A"))))
      assert.equal(2, #level.entities)
    end)

    it("one layer of a Tiled map", function()
      local path = folder:write("a.tmj", ldtk_sample.encode(tiled_sample.sample()))
      local whole = assert(json.decode(select(2, run("import", path))))
      local name = whole.entities[1].name
      local level = assert(json.decode(select(2, run("import", path, "--layer", name))))
      assert.is_true(#whole.entities > 1)
      assert.equal(1, #level.entities)
      assert.equal(name, level.entities[1].name)
    end)

    it("a Tiled map with the classes of its project", function()
      local path = folder:write("a.tmj", ldtk_sample.encode(tiled_sample.sample()))
      local code, _, errors = run("import", path, "--project", folder:at "no.tiled-project")
      assert.equal(1, code)
      assert.is_truthy(errors:find("no.tiled-project", 1, true), errors)
      folder:write("a.tiled-project", [[{ "propertyTypes": [] }]])
      assert_output(select(2, run("import", path)), run("import", path, "--project", folder:at "a.tiled-project"))
    end)

    it("one scene of a glTF file, with its meshes", function()
      local path = folder:write("a.gltf", gltf_sample.encode(gltf_sample.sample()))
      local by_name = assert(json.decode(select(2, run("import", path, "--scene", "sea", "--meshes"))))
      assert.equal("buoy.001", by_name.entities[1].name)
      assert.equal("mesh_2", by_name.entities[1].components.mesh.resource)
      local by_index = assert(json.decode(select(2, run("import", path, "--scene", "1"))))
      assert.equal("buoy.001", by_index.entities[1].name)
      assert.is_nil(by_index.entities[1].components.mesh)
    end)

    it("with the mappings of a Lua file", function()
      local path = folder:write("a.ldtk", sample())
      local mappings = folder:write("mappings.lua", [[return { components = {
        Player = function(fields) return { health = { hp = fields.hp } } end } }]])
      local code, output = run("import", path, "--mappings", mappings)
      assert.equal(0, code)
      local level = assert(json.decode(output))
      assert.are.same({ hp = 12 }, level.entities[1].children[1].children[1].components.health)
    end)

    it("no value that JSON cannot hold", function()
      local path = folder:write("a.ldtk", sample())
      local mappings = folder:write("mappings.lua", [[return { components = {
        Player = function() return { health = { hp = 0 / 0 } } end } }]])
      local code, output, errors = run("import", path, "--mappings", mappings)
      assert.equal(1, code)
      assert.equal("", output)
      assert.is_truthy(errors:find("components.health.hp: expected a JSON value, got NaN\n", 1, true), errors)
    end)

    it("no wrong file, and leaves the output unchanged", function()
      local path, output = folder:write("a.ldtk", "{}"), folder:write("a.json", "before")
      assert_bad_data(path .. ": not an LDtk project (it has no jsonVersion)", run("import", path, "-o", output))
      assert.equal("before", folder:read "a.json")
    end)

    describe("a .json file that was written by", function()
      local function assert_imported(text, importer)
        local path = folder:write("map.json", text)
        local native = assert(json.encode(assert(importer(text))))
        local code, output, errors = run("import", path)
        assert.equal("", command.without_warnings(errors))
        assert.equal(0, code)
        assert.equal(compiled(native), compiled(output))
        assert_output(compiled(native), run("compile", path, "-o", "-"))
        assert_silent(run("validate", path))
      end

      it("Tiled", function()
        assert_imported(ldtk_sample.encode(tiled_sample.sample()), cuttle.import.tiled)
      end)

      it("Tiled, with its keys in Tiled's order", function()
        assert_imported([[{ "compressionlevel":-1, "height":1, "infinite":false, "layers":[{ "id":1,
          "name":"a } \" , {", "objects":[], "type":"objectgroup" }], "tiledversion":"1.10.2", "tilewidth":8,
          "tileheight":8, "type":"map", "version":"1.10", "width":1 }]], cuttle.import.tiled)
      end)

      it("LDtk", function()
        assert_imported(sample(), cuttle.import.ldtk)
      end)

      it("LDtk, with its keys in LDtk's order", function()
        assert_imported([[{ "__header__": { "fileType": "LDtk Project JSON" }, "iid": "x", "jsonVersion": "1.5.3",
          "defs": { "entities": [] }, "levels": [] }]], cuttle.import.ldtk)
      end)

      it("a glTF editor", function()
        assert_imported(gltf_sample.encode(gltf_sample.sample()), cuttle.import.gltf)
      end)
    end)

    it("a file in the format of --format, whatever its contents are", function()
      local path = folder:write("map.json", sample())
      assert_bad_data(path .. ": a project of LDtk, not a map of Tiled: use the ldtk importer",
        run("import", path, "--format", "tiled"))
      local code, _, errors = run("validate", path, "--format", "native")
      assert.equal(1, code)
      assert.is_truthy(errors:find("unknown key '", 1, true), errors)
    end)

    it("a file in the format of its extension, whatever its contents are", function()
      local path = folder:write("map.tmj", sample())
      assert_bad_data(path .. ": a project of LDtk, not a map of Tiled: use the ldtk importer", run("import", path))
    end)

    it("no native level whose own keys resemble those of an editor", function()
      local path = folder:write("a.json", [[{ "_map": { "tilewidth": 1, "x": "\"}" }, "$asset": [], "version": 1,
        "entities": [ { "_asset": { "jsonVersion": 1 } } ] }]])
      assert_bad_data(path .. ": expected a file of an editor, got a native level", run("import", path))
      assert_silent(run("validate", path))
    end)

    it("no file that is not a JSON document", function()
      for _, text in ipairs({ "", "{", '{"a', '{"a"', '{"a":', '{"a":"', '{"a":[1,{', '{"a":1,', "[]", '{"a\\' }) do
        local path = folder:write("a.json", text)
        assert_bad_data(path .. ": expected a file of an editor, got a native level", run("import", path))
      end
    end)

    it("no native level", function()
      local path = folder:write("a.json", GOAT)
      assert_bad_data(path .. ": expected a file of an editor, got a native level", run("import", path))
    end)

    it("no compiled level", function()
      local path = folder:write("a.level", compiled(GOAT))
      assert_bad_data(path .. ": expected a file of an editor, got a compiled level", run("import", path))
    end)

    it("Tiled's own files, worlds and Lua exports", function()
      for _, name in ipairs({ "set.tsx", "wall.tx", "set.lua" }) do folder:write(name, formats.FILES[name]) end
      local exported = folder:write("map.lua", formats.LUA)
      local code, output = run("import", exported, "--format", "tiled")
      assert.equal(0, code)
      folder:write("a.world", [[{ "type": "world", "maps": [ { "fileName": "map.lua", "x": 1, "y": 2 } ] }]])
      assert.equal(0, (run("import", folder:at "a.world")))
      if not pcall(require, "lxp") then return end
      assert_output(output, run("import", folder:write("map.tmx", formats.TMX)))
    end)

    it("no file of an unknown format", function()
      assert_misused("standard input: the name does not determine the editor: give --format",
        run_on(sample(), "import", "-"))
    end)

    it("no two files", function()
      assert_misused("too many arguments", run("import", "a.ldtk", "b.ldtk"))
    end)

    it("nothing if the importer does not have an option", function()
      local path = folder:write("a.ldtk", sample())
      local mappings = folder:write("mappings.lua", "return { tilez = true }")
      assert_misused(mappings .. ": the ldtk importer: unknown option 'tilez' (did you mean 'tiles'?)",
        run("import", path, "--mappings", mappings))
      local code, _, errors = run("import", path, "--scene", "x")
      assert.equal(2, code)
      assert.is_truthy(errors:find("option '--scene' is not for ldtk files", 1, true), errors)
    end)

    it("nothing if the mappings are not a table", function()
      local mappings = folder:write("mappings.lua", "return 1")
      assert_misused(mappings .. ": expected the file to return a table, got number",
        run("import", folder:write("a.ldtk", sample()), "--mappings", mappings))
    end)
  end)

  describe("prints annotations", function()
    it("of the components that a Lua file defines", function()
      local components = folder:write("components.lua", [[return function(world)
        world:define("health", { { "hp", "int32" } })
      end]])
      local code, output = run("annotate", "--components", components)
      assert.equal(0, code)
      assert.is_truthy(output:find("---@field health cuttle.component.health", 1, true))
      assert_silent(run("annotate", "--components", components, "-o", folder:at "components.meta.lua"))
      assert.equal(output, folder:read "components.meta.lua")
    end)

    it("but does not overwrite the file of --components", function()
      local text = "return function(world) end"
      local components = folder:write("components.lua", text)
      assert_misused(components .. " would be overwritten: it is the file of option '--components'",
        run("annotate", "--components", components, "-o", components))
      assert.equal(text, folder:read "components.lua")
    end)
  end)

  describe("prints the JSON Schema", function()
    it("of the built-in components", function()
      assert_output(cuttle.schema(cuttle.world(cuttle.entity_manager())), run "schema")
    end)

    it("to a file", function()
      assert_silent(run("schema", "-o", folder:at "level.schema.json"))
      assert.equal(select(2, run "schema"), folder:read "level.schema.json")
    end)

    it("of the components that a Lua file defines, and of those with a registered compiler", function()
      local components = folder:write("components.lua", [[return function(world, compiler)
        world:define("health", { { "hp", "int32" } })
        compiler:register("spikes", function() return "" end)
      end]])
      local code, output = run("schema", "--components", components)
      assert.equal(0, code)
      assert.is_truthy(output:find('"health"', 1, true))
      assert.is_truthy(output:find('"spikes"', 1, true))
    end)

    it("but not into a path that cannot be written", function()
      local path = folder:at "no/schema"
      assert_bad_data(path .. ": No such file or directory", run("schema", "-o", path))
    end)

    it("and takes no input", function()
      assert_misused("too many arguments", run("schema", "a.json"))
    end)
  end)
end)
