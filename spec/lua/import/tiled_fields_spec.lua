-- The conversion of Tiled properties to Lua values; a project defines classes, their defaults, and flags.

local tiled_sample = require "spec.support.tiled_sample"
local changed = tiled_sample.changed
local encode = tiled_sample.encode
local failure = tiled_sample.failure
local level_source = tiled_sample.level_source
local map = tiled_sample.map
local object = tiled_sample.object
local property = tiled_sample.property
local seen = tiled_sample.seen
local things = tiled_sample.things
local NULL = tiled_sample.NULL

-- The converted properties of an object.
local function read(properties, options, class)
  return seen(object(1, "x", class or "", 0, 0, { properties = properties }), options)
end

describe("a Tiled property", function()
  it("keeps values of type string, int, float and bool", function()
    local values = seen("hero")
    assert.same({ 12, 1.5, true, "Eve" }, { values.hp, values.speed, values.boss, values.title })
  end)

  it("returns a color as four numbers of 0 to 1, alpha last", function()
    assert.same({ 0, 128 / 255, 1, 128 / 255 }, (seen("hero")).tint)
    assert.same({ 1, 0, 0, 1 }, (read({ property("c", "color", "#ff0000") })).c)
  end)

  it("is nil for an empty color", function()
    assert.is_nil((read({ property("c", "color", "") })).c)
  end)

  it("returns a file as a path relative to the current folder", function()
    assert.equal("../a/b.ogg", (seen("hero")).sound)
    assert.equal("game/a/b.ogg", (seen("hero", { directory = "game/maps" })).sound)
  end)

  it("keeps paths that do not depend on a folder", function()
    for _, path in ipairs({ "/a/../b", "C:/x", "https://a.b/c", "" }) do
      assert.equal(path, (read({ property("f", "file", path) }, { directory = "maps" })).f)
    end
  end)

  it("returns an object as the id of its target", function()
    assert.equal(2, (seen("hero")).target)
  end)

  it("is nil for no object, and for an object that is not imported", function()
    local values, hero = seen("hero")
    assert.is_nil(values.missing)
    assert.is_nil(values.gone)
    assert.same({ target = { entity = 2, imported = true }, gone = { entity = 77, imported = false } },
      hero.references)
  end)

  it("returns the changed members of a class if there is no project", function()
    local values = read({ property("stats", "class", { str = 5, name = "x" }, "Stats") })
    assert.same({ str = 5, name = "x" }, values.stats)
  end)

  it("returns enumerations as stored", function()
    local values = read({ property("a", "string", "fire", "Element"), property("b", "int", 3, "Level") })
    assert.same({ a = "fire", b = 3 }, values)
  end)

  it("is a string if it has no type", function()
    assert.same({ a = "text" }, (read({ { name = "a", value = "text" } })))
  end)

  it("keeps a value of an unknown type", function()
    assert.same({ a = { 1, 2 } }, (read({ property("a", "matrix", { 1, 2 }) })))
  end)

  it("is nil for null", function()
    assert.same({}, (read({ property("a", "int", NULL) })))
  end)

  local wrong = { { "int", "x" }, { "int", 1.5 }, { "int", 1e300 }, { "float", true }, { "float", math.huge },
    { "bool", 1 }, { "string", 1 }, { "color", "red" }, { "color", "#12345" }, { "color", "#1234567" }, { "color", 3 },
    { "file", {} }, { "object", "x" }, { "class", 5 }, { "class", { 1 } }, { 5, "x" } }
  for _, case in ipairs(wrong) do
    it("refuses " .. encode(case[2]) .. " as " .. case[1], function()
      local message = failure(map({ things(1, "T", { object(1, "x", "", 0, 0,
        { properties = { property("ok", "int", 1), property("bad", case[1], case[2]) } }) }) }))
      assert.matches("^Tiled text: layers%[1%]%.objects%[1%]%.properties%[2%]%.", message)
    end)
  end

  it("is refused in the format before Tiled 1.2", function()
    local document = changed(function(_, _, _, objects) objects.objects[1].properties = { hp = 1 } end)
    assert.equal("Tiled text: layers[2].layers[1].objects[1].properties: expected an array, got object",
      failure(document))
  end)
end)

local function member(name, kind, value, type_name)
  return { name = name, type = kind, value = value, propertyType = type_name }
end

local PROJECT = { propertyTypes = {
  { id = 1, type = "enum", name = "Element", storageType = "string", values = { "fire", "ice", "air" },
    valuesAsFlags = false },
  { id = 2, type = "enum", name = "Traits", storageType = "string", values = { "big", "fast", "shy" },
    valuesAsFlags = true },
  { id = 3, type = "class", name = "Stats", members = { member("str", "int", 7), member("tint", "color", "#ff0000ff"),
    member("element", "string", "ice", "Element") }, useAs = { "property" } },
  { id = 4, type = "class", name = "Monster", members = { member("hp", "int", 10), member("traits", "string", "big",
    "Traits"), member("stats", "class", { str = 8 }, "Stats"), member("foe", "object", 0) },
    useAs = { "property", "object" } },
  { id = 5, type = "class", name = "Deep", members = { member("inner", "class", NULL, "Stats") }, useAs = { "layer" } },
} }

describe("a Tiled project", function()
  local WITH = { project = encode(PROJECT) }

  it("has the defaults of a class for objects", function()
    local values = read({}, WITH, "Monster")
    assert.same({ hp = 10, traits = { big = true }, stats = { str = 8, tint = { 0, 0, 1, 1 }, element = "ice" } },
      values)
  end)

  it("has defaults that an object overrides by member", function()
    local values = read({ property("hp", "int", 3), property("stats", "class", { tint = "#00ff00" }, "Stats") }, WITH,
      "Monster")
    assert.same({ hp = 3, traits = { big = true }, stats = { str = 8, tint = { 0, 1, 0, 1 }, element = "ice" } },
      values)
  end)

  it("has the members of a class value that a map omits", function()
    local values = read({ property("a", "class", { str = 1 }, "Stats"),
      property("b", "class", { inner = { str = 2 } }, "Deep") }, WITH)
    assert.same({ str = 1, tint = { 0, 0, 1, 1 }, element = "ice" }, values.a)
    assert.same({ inner = { str = 2, tint = { 0, 0, 1, 1 }, element = "ice" } }, values.b)
  end)

  it("creates a separate table for every value", function()
    local values = read({ property("a", "class", {}, "Stats"), property("b", "class", {}, "Stats") }, WITH)
    assert.are_not.equal(values.a, values.b)
    assert.are_not.equal(values.a.tint, values.b.tint)
  end)

  it("keeps members that a class does not have", function()
    assert.equal("kept", (read({ property("a", "class", { old = "kept" }, "Stats") }, WITH)).a.old)
  end)

  it("returns flags as a set, stored as text or number", function()
    local values = read({ property("a", "string", "big,shy", "Traits"), property("b", "int", 6, "Traits"),
      property("c", "string", "", "Traits"), property("d", "string", "air", "Element") }, WITH)
    assert.same({ a = { big = true, shy = true }, b = { fast = true, shy = true }, c = {}, d = "air" }, values)
  end)

  it("resolves references in members", function()
    local document = map({ things(1, "T", { object(1, "x", "Monster", 0, 0, { properties = {
      property("foe", "object", 2) } }), object(2, "y", "", 0, 0) }) })
    assert.equal(2, (seen("x", WITH, document)).foe)
  end)

  it("does not apply a class that is not meant for objects", function()
    assert.same({}, (read({}, WITH, "Deep")))
  end)

  it("has the defaults of a class for layers", function()
    local document = map({ things(1, "T", {}, { class = "Deep" }) })
    local found
    level_source(document, tiled_sample.with({ layer = function(one) found = one.fields end }, WITH))
    assert.equal(7, found.inner.str)
  end)

  it("may be a path, or a plain array of types", function()
    local values = read({}, { project = "game.tiled-project", read = function(path)
      return path == "game.tiled-project" and encode(PROJECT.propertyTypes) or nil
    end }, "Monster")
    assert.equal(10, values.hp)
  end)

  local function complaint(types)
    return failure(nil, { project = encode({ propertyTypes = types }) })
  end

  it("is named with the place of bad data", function()
    assert.equal("Tiled project text: propertyTypes[1].name: expected a string, got no value",
      complaint({ { type = "class" } }))
    assert.equal("Tiled project text: propertyTypes[1].members[1].name: expected a string, got 5",
      complaint({ { type = "class", name = "A", members = { { name = 5 } } } }))
    assert.equal("Tiled project text: propertyTypes[1].values[2]: expected a string, got 5",
      complaint({ { type = "enum", name = "A", values = { "a", 5 } } }))
    assert.matches("^no.project: cannot read: ", failure(nil, { project = "no.project" }))
    assert.matches("^Tiled project text: line 1 column 2: ", failure(nil, { project = "{" }))
  end)

  it("is named if a default is wrong", function()
    local project = encode({ { type = "class", name = "A", members = { member("hp", "int", "x") } } })
    local document = map({ things(1, "T", { object(1, "x", "A", 0, 0) }) })
    assert.equal('Tiled project text: propertyTypes[1].members[1].value: expected an integer, got "x"',
      failure(document, { project = project }))
  end)

  it("is refused if a class contains itself", function()
    assert.matches('class "%u" contains itself', complaint({
      { type = "class", name = "A", members = { member("b", "class", {}, "B") } },
      { type = "class", name = "B", members = { member("a", "class", {}, "A") } } }))
  end)

  it("is refused if classes are nested too deep", function()
    local list = {}
    for index = 1, 3000 do
      local inner = "C" .. index + 1
      list[index] = { type = "class", name = "C" .. index, members = { member("inner", "class", {}, inner) } }
    end
    assert.matches("classes are nested too deep %(limit is 50%)", complaint(list))
  end)

  it("is refused if a class expands to too many members", function()
    local list = {}
    for index = 1, 40 do
      local inner = "C" .. index + 1
      list[index] = { type = "class", name = "C" .. index, members = { member("a", "class", {}, inner),
        member("b", "class", {}, inner) } }
    end
    assert.matches("has more than 10000 members", complaint(list))
  end)
end)
