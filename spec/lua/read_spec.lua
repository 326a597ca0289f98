-- The option `read`, which replaces io.open for levels, prefabs and compiled levels.

local cuttle = require "cuttle"
local file_reader = require "cuttle.files"

describe("the option read", function()
  local world, compiler, texts, paths

  before_each(function()
    world = cuttle.world(cuttle.entity_manager())
    compiler, texts, paths = cuttle.compiler(world), {}, {}
  end)

  local function read(path)
    paths[#paths + 1] = path
    if texts[path] then return texts[path] end
    return nil, "not in the archive"
  end

  local function lamp(name) return ('{ "entities": [ { "name": "%s" } ] }'):format(name) end

  it("of compile opens prefabs by paths relative to the files that name them", function()
    texts["levels/lamps/lamp.json"] = '{ "entities": [ { "prefab": "../bulb.json" } ] }'
    texts["levels/bulb.json"] = lamp "bulb"
    local blob, files = assert(compiler:compile({ entities = { { prefab = "lamps/lamp.json" } } },
      { directory = "levels", read = read }))
    assert.are.same({ "levels/lamps/lamp.json", "levels/bulb.json" }, files)
    assert.are.same(files, paths)
    assert.is_not_nil(world:spawn(cuttle.resource(blob)):find "bulb")
  end)

  it("returns the reason why a prefab is missing, and the message names the path once", function()
    local where = "source: entities[1].prefab: cannot read lamp.json: "
    local function refused(opens)
      return select(2, compiler:compile({ entities = { { prefab = "lamp.json" } } }, { read = opens }))
    end
    assert.equal(where .. "not in the archive", refused(read))
    assert.equal(where .. "gone", refused(function() return nil, "lamp.json: gone" end))
    assert.equal(where .. "no text was returned", refused(function() end))
    assert.equal(where .. "broken", refused(function() error("broken", 0) end))
    assert.equal(where .. "no text was returned", refused(function() return 5 end))
  end)

  it("is also used by the search for the first error", function()
    texts["lamp.json"] = '{ "entities": [ { "nam": "bulb" } ] }'
    local _, message = compiler:compile({ entities = { { prefab = "lamp.json" }, 5 } }, { read = read })
    assert.matches("^source: entities%[1%]%.prefab: lamp%.json: entities%[1%]: unknown key 'nam'", message)
  end)

  it("of compile_file opens the level itself", function()
    local to = os.tmpname()
    texts["levels/street.json"], texts["levels/lamp.json"] = '{ "entities": [ { "prefab": "lamp.json" } ] }', lamp "a"
    local blob, files = assert(compiler:compile_file("levels/street.json", to, { read = read }))
    assert.are.same({ "levels/street.json", "levels/lamp.json" }, files)
    assert.equal(blob, file_reader.read(to))
    local result, message = compiler:compile_file("none.json", to, { read = read })
    assert.is_nil(result)
    assert.equal("none.json: not in the archive", message)
    os.remove(to)
  end)

  it("of load opens the compiled level", function()
    texts["street.level"] = assert(compiler:compile(lamp "a"))
    assert.equal(1, assert(cuttle.load("street.level", { read = read })):entity_count())
    assert.are.same({ nil, "none.level: not in the archive" }, { cuttle.load("none.level", { read = read }) })
  end)

  it("must be a function", function()
    for name, call in pairs {
      load = function() cuttle.load("a", { read = "a" }) end,
      compile = function() compiler:compile({ entities = {} }, { read = "a" }) end,
      compile_file = function() compiler:compile_file("a", "b", { read = "a" }) end,
    } do
      local ok, raised = pcall(call)
      assert.is_false(ok)
      assert.matches("to '" .. name .. "' %(.*read.*function expected, got string", raised)
    end
  end)
end)
