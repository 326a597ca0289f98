-- Reports: the inspector's page with its data inside.

local cuttle = require "cuttle"
local json = require "cuttle.json"
local raises = require "spec.support.raises"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function data_in(page)
  return assert(json.decode((page:match '<script type="application/json" id="data">(.-)</script>')))
end

describe("cuttle.report", function()
  local entities, world, path

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities, { name = "game" })
    world:define("health", { { "hp", "float", 100 }, { "bag", "value" }, { "target", "entity" } })
    world:define("tag", { { "text", "string" } }, { multiple = true })
    path = os.tmpname()
  end)

  after_each(function() os.remove(path) end)

  it("writes one page with trees and components in columns", function()
    local tank = world:create { transform = { position = { 1, 2, 3 } }, debug_name = { name = "tank" },
      health = { hp = 0 / 0, bag = { gold = 1 } } }
    local turret = world:create { transform = { parent = tank }, tag = { { id = "a", text = "x" }, { text = "y" } } }
    assert.is_true(cuttle.report(entities, path))
    local data = data_in(read(path))
    local id = cuttle.entity_id
    assert.are.same({ ids = { id(tank), id(turret) }, parents = { -1, id(tank) }, nexts = { -1, -1 },
      names = { "tank", "" } }, data.outlines.game)
    local health = data.components.game.health
    assert.are.same({ owners = { id(tank) }, ids = {},
      fields = { hp = { "nan" }, bag = { "{ gold = 1, }" }, target = { json.null } } }, health)
    assert.are.same({ owners = { id(turret), id(turret) }, ids = { "a", 1 }, fields = { text = { "x", "y" } } },
      data.components.game.tag)
    assert.are.same({ { 1, 2, 3 }, { 0, 0, 0 } }, data.components.game.transform.fields.local_position)
    assert.are.same({ { 1, 2, 3 }, { 1, 2, 3 } }, data.components.game.transform.fields.world_position)
  end)

  it("escapes values inside the data", function()
    world:create { debug_name = { name = "</script><script>alert(1)</script>\255" } }
    assert.is_true(cuttle.report(entities, path))
    local page = read(path)
    assert.is_nil(page:find("<script>alert", 1, true))
    assert.are.equal("</script><script>alert(1)</script>\239\191\189", data_in(page).outlines.game.names[1])
  end)

  it("loads nothing from elsewhere", function()
    assert.is_true(cuttle.report(entities, path))
    local page = read(path):gsub("http://www%.w3%.org/2000/svg", "")
    assert.is_nil(page:find "https?://")
    assert.is_nil(page:find "[%s]src=")
    assert.is_nil(page:find "@import")
  end)

  it("returns nil and a message with the path if it cannot write, and leaves no file", function()
    local missing = path .. ".none/report.html"
    local ok, message = cuttle.report(entities, missing)
    assert.is_nil(ok)
    assert.are.equal(missing .. ": ", message:sub(1, #missing + 2))
    assert.is_nil(io.open(missing))
  end)

  it("raises for a value that is not an EntityManager, and for a wrong path", function()
    raises("bad argument #1", cuttle.report, {}, path)
    raises("bad argument #2 to 'report' (string expected, got nil)", cuttle.report, entities)
    raises("zero byte", cuttle.report, entities, "a\0b")
  end)
end)
