-- The functions of cuttle.json: choice of the decoder, exact places of syntax errors and duplicate keys, unlimited
-- depth, and the encoder.

-- tags: pure_lua

local json = require "cuttle.json"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local function message_of(text)
  local ok, message = json.check(text)
  assert.is_nil(ok)
  return message
end

local function without(names, body)
  local loaded, preloads = {}, {}
  for _, name in ipairs(names) do
    loaded[name], preloads[name] = package.loaded[name], package.preload[name]
    package.loaded[name] = nil
    package.preload[name] = function() error(name .. " is hidden by the spec") end
  end
  local ok, trouble = pcall(body)
  for _, name in ipairs(names) do
    package.loaded[name], package.preload[name] = loaded[name], preloads[name]
  end
  if not ok then error(trouble, 0) end
end

local function standing_in(name, library, body)
  local loaded = package.loaded[name]
  package.loaded[name] = library
  local ok, trouble = pcall(body)
  package.loaded[name] = loaded
  if not ok then error(trouble, 0) end
end

describe("json.check", function()
  it("accepts every kind of value", function()
    assert.is_true(json.check('{"a":[1,-2.5e+3,true,false,null,"x\\u00e9\\n",{}],"b":{}}'))
  end)

  it("accepts a single scalar", function()
    assert.is_true(json.check(" null "))
  end)

  it("ignores a byte order mark", function()
    assert.is_true(json.check("\239\187\191{}"))
  end)

  it("reports a duplicate key with line, column and path", function()
    local _, message, line, column, path = json.check('{"entities": [{"x": {"hp": 1,\n  "hp": 2}}]}')
    assert.equal('line 2 column 3: entities[1].x.hp: duplicate key "hp"', message)
    assert.same({ 2, 3, "entities[1].x.hp" }, { line, column, path })
  end)

  it("compares keys after unescaping", function()
    assert.matches('duplicate key "ab"', message_of('{"ab":1,"\\u0061b":2}'))
  end)

  it("allows the same key in two neighbouring objects", function()
    assert.is_true(json.check('[{"a":{"a":1}},{"a":1}]'))
  end)

  it("finds a duplicate key after a nested object", function()
    assert.matches("duplicate key", message_of('{"a":{"b":{"a":1}},"c":[{"a":1}],"a":2}'))
  end)

  it("shows keys that are not identifiers in brackets", function()
    assert.matches('["x y"][2]', message_of('{"x y":[1,]}'), 1, true)
  end)

  it("counts columns in characters", function()
    local _, _, line, column = json.check('["\195\169\195\169", x]')
    assert.same({ 1, 8 }, { line, column })
  end)

  it("does not count a byte order mark as a column", function()
    local _, _, _, column = json.check("\239\187\191[x]")
    assert.equal(2, column)
  end)

  local broken = {
    { "", "expected a value, got the end of the text" }, { "{", "expected a key in double quotes" },
    { '{"a" 1}', "expected ':' after a key, got '1'" }, { "{a:1}", "expected a key in double quotes, got 'a'" },
    { "[1 2]", "expected ',' or ']', got '2'" }, { '{"a":1]', "expected ',' or '}', got ']'" },
    { "[1,]", "expected a value, got ']'" }, { '{"a":1,}', "expected a key in double quotes, got '}'" },
    { "{} x", "expected the end of the text, got 'x'" }, { "[01]", "malformed number '01'" },
    { "[1.]", "malformed number '1.'" }, { "[0x10]", "malformed number '0x10'" }, { "[1e]", "malformed number" },
    { "[1-2]", "malformed number" }, { "[.5]", "expected a value" }, { "[NaN]", "expected a value, got 'NaN'" },
    { "nul", "expected a value, got 'nul'" }, { '"abc', "string without a closing quote" },
    { '"a\\q"', "unknown escape 'q'" }, { '"a\tb"', "unescaped control character in a string" },
    { '"\\u12"', "expected four hexadecimal digits" }, { '"\\ud800x"', "half of a surrogate pair" },
    { '"\\udc00"', "half of a surrogate pair" }, { '"\\', "in a string" }, { "\0", "expected a value" },
  }
  for _, case in ipairs(broken) do
    it("refuses " .. string.format("%q", case[1]):gsub("%c", "?"), function()
      assert.matches(case[2], message_of(case[1]), 1, true)
    end)
  end

  it("accepts 200,000 levels of nesting", function()
    assert.is_true(json.check(("["):rep(2e5) .. ("]"):rep(2e5)))
  end)

  it("shortens a long path", function()
    local message = message_of(('{"a":'):rep(5000))
    assert.matches("a.a.a.*%.%.%..*a: expected a value", message)
    assert.is_true(#message < 300)
  end)
end)

describe("json.decode", function()
  it("returns the values of the text", function()
    assert.same({ a = { 1, -2500, true, "x\195\169\n\240\159\152\128/" } },
      json.decode('{"a":[1,-2.5e+3,true,"x\\u00e9\\n\\ud83d\\ude00\\/"]}'))
  end)

  it("returns json.null for null", function()
    assert.equal(json.null, json.decode('{"a":null}').a)
  end)

  it("keeps the last value of a duplicate key", function()
    assert.same({ a = 2 }, json.decode('{"a":1,"a":2}'))
  end)

  it("never raises on damaged text, and accepts what json.check accepts, seed " .. seed, function()
    math.randomseed(seed)
    local text = '{"a":[1,-2.5e3,true,null,"x\\u00e9\\ud83d\\ude00"],"b":{"c":{},"d":[[],{"e":"f"}]}}'
    for _ = 1, rounds(1500, 500) do
      local at, stop = math.random(#text), math.random(0, 3)
      local damaged = text:sub(1, at - 1) .. string.char(math.random(0, 255)):rep(math.random(0, 2))
        .. text:sub(at + stop)
      local value, message = json.decode(damaged)
      local ok, trouble = json.check(damaged)
      if value == nil then assert.equal(message, trouble) end
      if value ~= nil and not ok then assert.matches("duplicate key", trouble) end
    end
  end)
end)

describe("json.decoder", function()
  local function libraries_gone() return { "cjson", "dkjson", "json" } end

  it("decodes with any installed library", function()
    assert.same({ a = { 1, "x" } }, json.decoder()('{"a":[1,"x"]}'))
  end)

  it("decodes with dkjson if lua-cjson is missing", function()
    without({ "cjson" }, function() assert.same({ a = { 1 } }, json.decoder()('{"a":[1]}')) end)
  end)

  it("decodes with json if the others are missing", function()
    without({ "cjson", "dkjson" }, function()
      standing_in("json", { decode = function() return { "json" } end }, function()
        assert.same({ "json" }, json.decoder()("[]"))
      end)
    end)
  end)

  it("decodes without a library", function()
    without(libraries_gone(), function() assert.same({ a = { 1 } }, json.decoder()('{"a":[1]}')) end)
  end)

  it("decodes with the given function", function()
    assert.same({ 7 }, json.decoder(function() return { 7 } end)("[]"))
  end)

  it("passes on the message when the given function raises", function()
    local value, message = json.decoder(function() error("no comments here", 0) end)("[1,\n x]")
    assert.is_nil(value)
    assert.equal("no comments here", message)
  end)

  it("passes on the message of a given function that refuses valid text", function()
    local _, message = json.decoder(function() return nil, 1, "too tired" end)("[]")
    assert.equal("too tired", message)
  end)

  it("does not change the settings of lua-cjson", function()
    local found, cjson = pcall(require, "cjson")
    if not found then return end
    local before = cjson.decode_max_depth()
    json.decoder()("[]")
    assert.equal(before, cjson.decode_max_depth())
  end)

  for _, missing in ipairs({ {}, { "cjson" }, libraries_gone() }) do
    local how = #missing == 0 and "with every library" or "without " .. table.concat(missing, ", ")

    it("distinguishes null from an absent value " .. how, function()
      without(missing, function()
        local value = json.decoder()('{"a":null,"b":[null,1]}')
        assert.is_false(value.a == nil)
        assert.is_true(json.is_null(value.a))
        assert.is_true(json.is_null(value.b[1]))
        assert.equal(1, value.b[2])
      end)
    end)

    it("reports line and column of a syntax error " .. how, function()
      without(missing, function()
        local value, message = json.decoder()('{"a":\n [1,}')
        assert.is_nil(value)
        assert.matches("line 2 column 5: a[2]: expected a value, got '}'", message, 1, true)
      end)
    end)

    it("refuses NaN " .. how, function()
      without(missing, function() assert.is_nil((json.decoder()("[NaN]"))) end)
    end)

    it("refuses text after the document " .. how, function()
      without(missing, function() assert.is_nil((json.decoder()("{} {}"))) end)
    end)

    it("ignores a byte order mark " .. how, function()
      without(missing, function() assert.same({ 1 }, json.decoder()("\239\187\191[1]")) end)
    end)

    it("reads any depth of nesting " .. how, function()
      without(missing, function()
        local pairs_of_levels = rounds(50000, 12500)
        local value, depth = json.decoder()(('{"c":['):rep(pairs_of_levels) .. ("]}"):rep(pairs_of_levels)), 0
        while value and value.c do value, depth = value.c[1], depth + 1 end
        assert.equal(pairs_of_levels, depth)
      end)
    end)
  end
end)

describe("null", function()
  it("is json.null", function() assert.is_true(json.is_null(json.null)) end)
  it("is nil", function() assert.is_true(json.is_null(nil)) end)
  it("is not false, zero or an empty table", function()
    assert.is_false(json.is_null(false) or json.is_null(0) or json.is_null({}) or json.is_null(""))
  end)
  it("is not an arbitrary userdata", function() assert.is_false(json.is_null(newproxy())) end)
  it("is the null of dkjson", function()
    local found, dkjson = pcall(require, "dkjson")
    if not found then return end
    without({ "cjson" }, function() json.decoder() end)
    assert.is_true(json.is_null(dkjson.null))
  end)
  it("has a name in tostring", function() assert.equal("null", tostring(json.null)) end)
end)

describe("json.encode", function()
  local function refuses(text, value)
    local result, message = json.encode(value)
    assert.is_nil(result)
    assert.equal(text, message)
  end

  it("sorts the keys of objects", function()
    assert.equal('{"a":1,"b":{"c":2,"d":3},"e":[1,2]}', json.encode { e = { 1, 2 }, b = { d = 3, c = 2 }, a = 1 })
  end)

  it("writes the keys of option order first", function()
    assert.equal('{"name":1,"id":2,"a":{"name":3,"b":4}}',
      json.encode({ a = { b = 4, name = 3 }, id = 2, name = 1 }, { order = { "name", "id" } }))
  end)

  it("writes one item per line, and arrays of scalars in one line", function()
    assert.equal('{\n  "a": [1, 2],\n  "b": [\n    {},\n    []\n  ]\n}', json.encode(
      { a = { 1, 2 }, b = { {}, setmetatable({}, { __jsontype = "array" }) } }, { indent = 2 }))
  end)

  it("indents with any text", function()
    assert.equal('{\n\t"a": 1\n}', json.encode({ a = 1 }, { indent = "\t" }))
  end)

  it("writes an empty table as an object, and as an array for the keys of option arrays", function()
    assert.equal("{}", json.encode {})
    assert.equal('{"children":[],"components":{}}',
      json.encode({ children = {}, components = {} }, { arrays = { children = true } }))
  end)

  it("writes every kind of null", function()
    assert.equal("null", json.encode(nil))
    assert.equal('{"a":null}', json.encode { a = json.null })
    local found, cjson = pcall(require, "cjson")
    if found then assert.equal("[null]", json.encode { cjson.null }) end
  end)

  it("writes strings with any contents so that they are decoded unchanged", function()
    local every = {}
    for code = 0, 127 do every[#every + 1] = string.char(code) end
    local text = table.concat(every) .. "\195\169\226\130\172\240\157\132\158"
    assert.equal(text, json.decode(json.encode(text)))
    assert.equal('"\\u0000\\n\\"\\\\/"', json.encode '\0\n"\\/')
  end)

  it("writes numbers with as few digits as possible", function()
    assert.equal("[0,-0,1,-7,0.1,0.3333333333333333,1e+300,123456789012,9007199254740992]", json.encode {
      0, -1 / math.huge, 1, -7, 0.1, 1 / 3, 1e300, 123456789012, 9007199254740992 })
  end)

  it("writes numbers so that they are decoded exactly, seed " .. seed, function()
    math.randomseed(seed)
    for _ = 1, rounds(1000, 500) do
      local value = (math.random() - 0.5) * 2 ^ math.random(-1000, 1000)
      assert.equal(value, json.decode(json.encode(value)))
    end
  end)

  it("refuses, with the path, values that JSON does not have", function()
    refuses("a.b[2]: expected a JSON value, got function", { a = { b = { 1, print } } })
    refuses("expected a JSON value, got NaN", 0 / 0)
    refuses("[1]: expected a JSON value, got infinite number", { -math.huge })
    refuses("a: the array has gaps", { a = { [1] = 1, [4] = 1 } })
    refuses("the array has gaps", { [0] = 1 })
    refuses("expected an array or an object, got a table that is both", { 1, a = 2 })
    refuses("expected strings as keys of an object, got a boolean", { [true] = 2 })
  end)

  it("refuses a table that contains itself", function()
    local value = { a = {} }
    value.a.b = value
    refuses("a.b: the table contains itself", value)
  end)

  it("writes a table twice that occurs in two places", function()
    local shared = { 1 }
    assert.equal("[[1],[1]]", json.encode { shared, shared })
  end)

  it("writes any depth of nesting", function()
    local top, depth = {}, rounds(100000, 25000)
    local deepest = top
    for _ = 1, depth do
      deepest.c = {}
      deepest = deepest.c
    end
    assert.equal(('{"c":'):rep(depth) .. "{}" .. ("}"):rep(depth), json.encode(top))
    assert.is_true(#json.encode(top, { indent = 2 }) < 300 * depth)
  end)
end)
