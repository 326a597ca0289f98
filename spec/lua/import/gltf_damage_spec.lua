-- Bad glTF data, which is reported with its place, and wrong arguments, which raise errors.

local cuttle = require "cuttle"
local gltf = require "cuttle.import.gltf"
local gltf_sample = require "spec.support.gltf_sample"
local binary = gltf_sample.binary
local changed = gltf_sample.changed
local encode = gltf_sample.encode
local failure = gltf_sample.failure
local sample = gltf_sample.sample
local seed = require "spec.support.seed"
local importing = require "spec.support.importing"
local raises = require "spec.support.raises"
local NULL = gltf_sample.NULL

describe("a bad glTF document", function()
  it("is reported with file and place", function()
    assert.equal("ship.gltf: nodes[2].rotation: expected 4 numbers, got 3",
      failure(changed(function(_, nodes) nodes[2].rotation = { 0, 0, 1 } end), { name = "ship.gltf" }))
  end)

  it("is reported with line and column if it is not JSON", function()
    local _, message = gltf('{"asset": {"version": "2.0"},\n "nodes": [}')
    assert.equal("glTF text: line 2 column 12: nodes[1]: expected a value, got '}'", message)
  end)

  it("is refused if it has a duplicate key", function()
    local _, message = gltf('{"asset": {"version": "2.0"}, "nodes": [{"name": "a", "name": "b"}]}')
    assert.matches('nodes[1].name: duplicate key "name"', message, 1, true)
  end)

  it("is refused if it is JSON of another format", function()
    for _, text in ipairs({ "{}", '{"nodes":[]}', "[]", '{"asset":null}' }) do
      local _, message = gltf(text)
      assert.equal("glTF text: not a glTF document (it has no asset)", message)
    end
    local _, message = gltf("[1]")
    assert.equal("glTF text: not a glTF document (expected an object, got array)", message)
  end)

  local wrong = {
    { "nodes: expected an array, got 5", function(whole) whole.nodes = 5 end },
    { "nodes[1].name: expected a string, got 5", function(_, nodes) nodes[1].name = 5 end },
    { "nodes[1].children: expected an array, got object", function(_, nodes) nodes[1].children = { a = 1 } end },
    { "nodes[4].extensions: expected an object, got array", function(_, nodes) nodes[4].extensions = { 1 } end },
    { "scenes[1]: expected an object, got array", function(whole) whole.scenes[1] = { 1 } end },
    { "scenes[1].name: expected a string, got true", function(whole) whole.scenes[1].name = true end },
    { "scene: expected an integer, got \"a\"", function(whole) whole.scene = "a" end },
    { "asset: expected an object, got 1", function(whole) whole.asset = 1 end },
    { "extensionsRequired: expected an array, got \"a\"", function(whole) whole.extensionsRequired = "a" end },
  }
  for _, case in ipairs(wrong) do
    it("is refused: " .. case[1], function()
      assert.equal("glTF text: " .. case[1], failure(changed(case[2])))
    end)
  end
end)

describe("a wrong argument of the glTF importer", function()
  importing.refuses(gltf, "gltf", {
    misspelt = { "messes", "meshes" },
    types = { components = 5, fields = 5, mesh = true, skin = 1, camera = {}, light = "x", meshes = "yes", scene = true,
      extensions = "x", directory = 1, name = 1, read = "x", json = {} },
    contents = { { fields = "" }, { extensions = { 5 } }, { scene = -1 } },
  })

  it("raises for an extension that is not a name", function()
    raises('option "extensions": expected an array of names, got number', gltf, "{}", { extensions = { 5 } })
  end)

  it("raises for a scene that is not an index", function()
    for _, number in ipairs({ -1, 0.5, math.huge, 0 / 0 }) do
      raises('option "scene": expected an integer >= 0 or a name, got ', gltf, "{}", { scene = number })
    end
  end)
end)

describe("a decoder given as an option", function()
  it("reads any glTF text, even if it is not JSON", function()
    assert.equal(3, #assert(gltf("{whatever", { json = sample })).entities)
  end)

  it("may raise an error", function()
    local _, message = gltf("{}", { json = function() error("cannot") end })
    assert.matches("glTF text: .*cannot", message)
  end)

  it("may return tables that contain themselves", function()
    local extras = { text = "a" }
    extras.me = extras
    local fields
    assert(gltf("{}", { components = { ["*"] = function(handed) fields = handed end },
      json = function() return { asset = { version = "2.0" }, nodes = { { extras = extras } } } end }))
    assert.equal(fields, fields.me)
    assert.are_not.equal(extras, fields)
  end)

  it("may return numbers that are not finite", function()
    local nodes = { { translation = { 0, 0 / 0, 0 } } }
    local _, message = gltf("{}", { json = function() return { asset = { version = "2.0" }, nodes = nodes } end })
    assert.matches("nodes[1].translation[2]: expected a number that single precision holds (to 3.4e38), got ",
      message, 1, true)
  end)
end)

describe("a damaged glTF file, seed " .. seed, function()
  local world = cuttle.world(cuttle.entity_manager())
  local compiler = cuttle.compiler(world)
  local ROUNDS = require "spec.support.rounds"(600, 200)

  local function junk()
    local all = { NULL, 0, 1, 2, 5, -1, 1.5, 1e300, math.huge, 2 ^ 53, "", "x", "a/b", true, false, {}, { 1 }, { 0, 1 },
      { { {} } }, { x = 1 }, { NULL }, { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 },
      { 2e9, 2e9, 2e9 }, "2.0", "KHR_lights_punctual", "perspective" }
    return all[math.random(#all)]
  end

  local function scaled() return { transform = { scale = 2 } } end
  local options = { meshes = true, camera = scaled, light = scaled, name = "damaged", skin = function() end,
    components = { ["*"] = function() return {} end } }

  -- Imports a damaged document. The result is a level that the compiler accepts or refuses by name, or a message.
  local function check(text)
    local given = math.random(3) == 1 and { name = "damaged", fields = "props" } or options
    local ok, result, message = pcall(gltf, text, given)
    assert.is_true(ok, "raised " .. tostring(result) .. "\n" .. text)
    if not result then return assert.matches("^damaged: ", message) end
    importing.assert_is_source(result.entities)
    local compiled, blob, trouble = pcall(compiler.compile, compiler, result, { name = "damaged" })
    assert.is_true(compiled, "compile raised " .. tostring(blob) .. "\n" .. text)
    if not blob then return assert.matches("^damaged: ", trouble) end
    return assert(cuttle.resource(blob))
  end

  it("is imported or refused with a message, and never raises", function()
    math.randomseed(seed)
    for _ = 1, ROUNDS do check(encode(importing.damage(sample(), junk))) end
  end)

  it("with instances is imported or refused with a message", function()
    math.randomseed(seed)
    for _ = 1, ROUNDS / 4 do check(encode(importing.damage(gltf_sample.forest(), junk))) end
  end)

  it("in a container is refused with a message if bytes were changed", function()
    math.randomseed(seed)
    local whole = binary()
    for _ = 1, ROUNDS do
      local bytes = whole
      for _ = 1, math.random(3) do
        -- Damages the lengths and types at the beginning more often than the contents.
        local at = math.random(2) == 1 and math.random(5, 20) or math.random(5, #bytes)
        bytes = bytes:sub(1, at - 1) .. string.char(math.random(0, 255)) .. bytes:sub(at + 1)
      end
      if math.random(4) == 1 then bytes = bytes:sub(1, math.random(4, #bytes)) end
      check(bytes)
    end
  end)
end)
