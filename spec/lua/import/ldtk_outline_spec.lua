-- Projects of which some levels are imported: the layers of the other levels are not decoded.

local json = require "cuttle.json"
local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local mutate = require "spec.fuzz.mutate"
local outline = require "cuttle.import.ldtk_outline"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local encode, field, sample = ldtk_sample.encode, ldtk_sample.field, ldtk_sample.sample

-- The text with extra blanks.
local function spread(text)
  return (text:gsub("[{,]", "%0\n\t "):gsub("[%]}:]", " %0 "))
end

-- Decodes without outlines, because the decoder belongs to the script.
local function whole(text) return (json.decode(text)) end

-- The result of an import as text, and true; or its error message.
local function made(text, options)
  local source, message, tiles, index = ldtk(text, options)
  if not source then return message, false end
  return assert(json.encode({ source, message, tiles, index })), true
end

local function options_of(names, decode)
  return { levels = names, tiles = true, fields = "props", json = decode }
end

local function assert_same(text, names)
  assert.equal((made(text, options_of(names, whole))), (made(text, options_of(names))))
end

-- The sample with a text field in an entity of each level.
local function with_texts(first, second)
  local document = sample()
  for index, text in ipairs({ first, second }) do
    local entity = document.levels[index].layerInstances[1].entityInstances[1]
    entity.fieldInstances = { field("note", "String", text) }
  end
  return document
end

-- Whether the layers of the other levels are not decoded: a number without digits in them is no error.
local function skips(document, name)
  local text = encode(document)
  local broken = text:gsub('"iid":"door%-2"', '%0,"wrong":-')
  assert(broken ~= text)
  return (ldtk(broken, { levels = { name } })) ~= nil
end

describe("a level that is imported without the others", function()
  it("is the same as with the others", function()
    for _, text in ipairs({ encode(sample()), spread(encode(sample())), "\239\187\191" .. encode(sample()) }) do
      for _, names in ipairs({ { "A" }, { "B" }, { "level-a", "B" }, {}, { "C" } }) do assert_same(text, names) end
      assert_same(text, function(level) return level.x > 100 end)
    end
  end)

  it("does not need the layers of the others to be JSON", function()
    assert.is_true(skips(sample(), "A"))
    local broken = encode(sample()):gsub('"iid":"door%-2"', '%0,"wrong":-')
    assert.matches('^LDtk text: line 1 column %d+: levels%[2%].layerInstances%[1%].entityInstances%[1%].wrong: ',
      (select(2, ldtk(broken, { levels = { "B" } }))))
    assert.is_nil((ldtk(broken)))
  end)

  it("is found among levels in several worlds", function()
    local document = sample()
    document.worlds = { { identifier = "Over", iid = "w1", worldLayout = "Free", levels = { document.levels[1] } },
      { identifier = "Under", iid = "w2", worldLayout = "LinearVertical", levels = { document.levels[2] } } }
    document.levels = {}
    assert_same(encode(document), { "B" })
    assert.is_true(skips(document, "A"))
    assert.equal((made(encode(document), { worlds = { "Under" }, json = whole })),
      (made(encode(document), { worlds = { "Under" } })))
  end)

  it("is correct if texts of the project contain brackets", function()
    for _, texts in ipairs({ { "[a]", "{b}" }, { "[", "]" }, { "]", "[" }, { "[[", "" }, { "", "]" }, { "}{", "}" },
      { '"layerInstances": [', '"]' }, { '\\"layerInstances\\":[', "]]" } }) do
      for _, name in ipairs({ "A", "B" }) do
        assert_same(encode(with_texts(unpack(texts))), { name })
      end
    end
    assert.is_true(skips(with_texts("[a] {b} [c]", "(d)"), "A"))
  end)

  it("is correct if a text looks like the string that replaces layers", function()
    assert_same(encode(with_texts("cuttle: layers 1", "cuttle: layers 2")), { "B" })
  end)

  it("is reported with the place of its bad data", function()
    local document = sample()
    document.levels[2].layerInstances[1].entityInstances[1].px = { 1 }
    local _, message = ldtk(encode(document), { levels = { "B" } })
    assert.equal("LDtk text: levels[2].layerInstances[1].entityInstances[1].px: expected 2 numbers, got 1", message)
    assert.is_truthy(ldtk(encode(document), { levels = { "A" } }))
  end)

  it("is reported if it has a duplicate key", function()
    local text = encode(sample()):gsub('"iid":"door%-2"', '"iid":"door-2",%0')
    assert.matches('duplicate key "iid"', (select(2, ldtk(text, { levels = { "B" } }))), 1, true)
    assert.is_truthy(ldtk(text, { levels = { "A" } }))
  end)

  it("leaves strings in the layers of the others", function()
    local document, load = outline.decode(encode(sample()), whole)
    for _, level in ipairs(document.levels) do assert.equal("string", type(level.layerInstances)) end
    assert.is_true(load(document.levels[2]))
    assert.equal("Things", document.levels[2].layerInstances[1].__identifier)
    assert.is_true(load({ layerInstances = json.null }))
  end)

  it("takes linear time if lists of layers have no end", function()
    local text = '{"jsonVersion":"1.5.3",' .. ('"layerInstances":['):rep(200000)
    assert.is_nil((ldtk(text, { levels = { "A" } })))
  end)

  it("may have a list of tiles that is decoded in pieces", function()
    local document = ldtk_sample.tiled(rounds(2000, 300))
    assert_same(encode(document), { "A" })
    assert_same(encode(document), { "B" })
  end)
end)

describe("a damaged project, seed " .. seed .. ",", function()
  it("gives the same level if the whole document can be imported", function()
    math.randomseed(seed)
    local texts = { encode(sample()), encode(with_texts("[", "]}")), encode(with_texts("{]", "[}")) }
    local count = 0
    for _ = 1, rounds(400, 40) do
      local text = mutate(texts[math.random(#texts)], texts)
      local name = math.random(2) == 1 and "A" or "B"
      local expected, is_good = made(text, options_of({ name }, whole))
      local result = made(text, options_of({ name }))
      if is_good then
        count = count + 1
        assert.equal(expected, result)
      end
    end
    assert.is_true(count > 0)
  end)
end)
