-- Search for duplicate keys in cuttle.json.unique.

-- tags: pure_lua

local json = require "cuttle.json"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"
local unique = require "cuttle.json.unique"

local function trouble(text)
  return unique.trouble(text, assert(json.decoder()(text)))
end

describe("unique.trouble", function()
  it("returns nil for documents of every kind without duplicate keys", function()
    for _, text in ipairs({ "{}", "[]", '"a"', "5", '""', '{"a":{"a":["a","b",{"a":1}]},"b":null,"":""}',
      '[{"a":1},{"a":1}]', '{"1":"x","2":[null,"x",null]}' }) do
      assert.is_nil(trouble(text), text)
    end
  end)

  it("ignores keys inside strings", function()
    for _, text in ipairs({ [[{"a\"b":"\\","c":"\\\"","d":"\"\"\""}]], [=[["\"a\":1,\"a\":2"]]=],
      [[{"\\":"\\"}]], [[{"\\\"":1,"\"\\":2}]] }) do
      assert.is_nil(trouble(text), text)
    end
  end)

  it("reports line and column of a duplicate key", function()
    assert.equal('line 2 column 3: a: duplicate key "a"', trouble '{"a": 1,\n  "a": 2}')
    assert.equal('line 1 column 15: x[1].b: duplicate key "b"', trouble '{"x":[{"b":1, "b":{}}]}')
  end)

  it("finds a duplicate key if the lost value holds strings and objects", function()
    assert.matches('duplicate key "a"', trouble [[{"a":{"b":"c","d":["e","f"]},"a":{}}]], 1, true)
    assert.matches('duplicate key "a"', trouble [[{"a":1,"a":{"b":"c","d":["e","f"]}}]], 1, true)
  end)

  it("finds a duplicate key that is written with an escape", function()
    assert.matches('duplicate key "a"', trouble [[{"a":1,"\u0061":2}]], 1, true)
  end)

  it("finds the same duplicate keys as json.check, seed " .. seed, function()
    local random = new_random(seed)
    local STRINGS = { [["a"]], [["b"]], [["c"]], [["\""]], [["\\"]], [["a:"]], [[",\"a\":"]], [[""]] }
    local function value(depth)
      local kind = random(depth > 3 and 4 or 6)
      if kind <= 2 then return STRINGS[random(#STRINGS)] end
      if kind == 3 then return tostring(random(9)) end
      if kind == 4 then return "null" end
      local parts = {}
      for place = 1, random(4) - 1 do
        parts[place] = (kind == 5 and STRINGS[random(#STRINGS)] .. " : " or "") .. value(depth + 1)
      end
      local inner = table.concat(parts, ", ")
      return kind == 5 and "{" .. inner .. "}" or "[" .. inner .. "]"
    end
    local found = 0
    for _ = 1, 2000 do
      local text = "[" .. value(0) .. ", " .. value(0) .. ", " .. value(0) .. "]"
      local fine, message = json.check(text)
      if not fine then found = found + 1 end
      assert.equal(not fine and message or nil, trouble(text), text)
    end
    assert.is_true(found > 50, found)
  end)
end)
