-- Limits of formulas, and hostile texts: each ends in a clear error.

local formula_world = require "spec.support.formula_world"
local random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local place = formula_world.new()
local world = place.world

-- The message of a text that is refused; nil if it compiles.
local function refused(text, parameters)
  local ok, message = pcall(world.formula, world, text, parameters)
  if ok then return nil end
  assert.equal("string", type(message))
  return message
end

local function nested(open, close, depth)
  return "out.number = " .. open:rep(depth) .. "1" .. close:rep(depth)
end

describe("The nesting of a formula", function()
  local message = "the text is nested more than 32 levels deep"

  it("is at most 32 for parentheses, calls and unary operators", function()
    for _, pair in ipairs { { "(", ")" }, { "abs(", ")" }, { "- ", "" }, { "min(1,", ")" } } do
      assert.is_nil(refused(nested(pair[1], pair[2], 32)))
      assert.matches(message, refused(nested(pair[1], pair[2], 33)))
    end
    assert.is_nil(refused("out.boolean = " .. ("not "):rep(32) .. "true"))
    assert.matches(message, refused("out.boolean = " .. ("not "):rep(33) .. "true"))
  end)

  it("is at most 32 for 'if', and does not count 'elseif'", function()
    local function ifs(depth) return ("if body.on then "):rep(depth) .. "out.number = 1" .. (" end"):rep(depth) end
    assert.is_nil(refused(ifs(32)))
    assert.matches(message, refused(ifs(33)))
    assert.is_nil(refused("if body.x > 1 then out.number = 1 "
      .. ("elseif body.x > 2 then out.number = 2 "):rep(120) .. "end"))
  end)

  it("counts powers", function()
    assert.is_nil(refused("out.number = 2" .. (" ^ 1"):rep(32)))
    assert.matches(message, refused("out.number = 2" .. (" ^ 1"):rep(33)))
  end)
end)

describe("The number of statements of a formula", function()
  it("is at most 256, also of 'if' and 'elseif'", function()
    assert.is_nil(refused(("out.number = 1\n"):rep(256)))
    assert.matches("line 257: the text has more than 256 statements, column 1", refused(("out.number = 1\n"):rep(257)))
    assert.matches("more than 256 statements", refused("if body.on then " .. ("elseif body.on then "):rep(256)
      .. "end"))
  end)
end)

describe("The number of operations of a formula", function()
  it("is at most 4096", function()
    local function sum(count) return "out.number = body.x" .. (" * body.m / body.x"):rep(count) end
    assert.is_nil(refused(sum(2000)))
    assert.matches("line 1: the text has more than 4096 operations, column %d+$", refused(sum(2100)))
  end)

  it("counts each common part once", function()
    assert.is_nil(refused("out.number = body.x" .. (" + body.x * body.m"):rep(3000)))
  end)
end)

describe("The registers of a formula", function()
  it("are at most 1024", function()
    local parts = {}
    for number = 1, 1100 do parts[number] = " + " .. number .. ".5" end
    assert.matches("more than 1024 registers", refused("out.number = body.x" .. table.concat(parts)))
    local parameters = {}
    for number = 1, 400 do parameters["p" .. number] = { 1, 2, 3 } end
    assert.matches("more than 1024 registers", refused("out.number = 1", parameters))
    for number = 1, 2000 do parameters["p" .. number] = 1 end
    assert.matches("2000 parameters are too many", refused("out.number = 1", parameters))
  end)
end)

describe("The components of a formula", function()
  it("are at most 8", function()
    local text = {}
    for number = 1, 9 do
      world:define("part" .. number, { { "x", "float" } })
      text[number] = ("part%d.x = 1 "):format(number)
    end
    assert.is_nil(refused(table.concat(text, "", 1, 8)))
    assert.matches("the text names 9 components, more than 8", refused(table.concat(text)))
  end)
end)

describe("A hostile text", function()
  local size = 65536
  local texts = {
    { "64 KB of open parentheses", "out.number = " .. ("("):rep(size - 13), "nested more than 32" },
    { "64 KB of unary operators", "out.number = " .. ("- "):rep(math.floor((size - 14) / 2)), "nested more than 32" },
    { "64 KB of closed parentheses", (")"):rep(size), "statement expected, got ')'" },
    { "64 KB of binary operators", "out.number = 1" .. ("+1"):rep(math.floor((size - 14) / 2)), nil },
    { "64 KB of comparisons", "out.boolean = 1" .. ("<1"):rep(math.floor((size - 16) / 2)),
      "number expected for '<', got a boolean" },
    { "64 KB of powers", "out.number = 1" .. ("^1"):rep(math.floor((size - 14) / 2)), "nested more than 32" },
    { "64 KB of lanes", "out.vec2" .. (".xy"):rep(math.floor((size - 8) / 3)), "expected '='" },
    { "64 KB of lanes in an expression", "out.vec2 = body.v" .. (".xy"):rep(math.floor((size - 17) / 3)), nil },
    { "64 KB of 'if'", ("if body.on then "):rep(math.floor(size / 16)), "nested more than 32" },
    { "64 KB of semicolons", (";"):rep(size), "statement expected" },
    { "64 KB of hyphens", ("-"):rep(size), "statement expected" },
    { "64 KB of zero bytes", ("\0"):rep(size), "unexpected byte 0" },
    { "64 KB of a name", ("a"):rep(size), "no local, parameter, component or function" },
    { "64 KB of digits", "out.number = " .. ("9"):rep(size - 13), "is not finite" },
    { "64 KB of zeros", "out.number = " .. ("0"):rep(size - 13), nil },
    { "64 KB of open long brackets", "out.number = " .. ("["):rep(size - 13), "unfinished string" },
    { "64 KB of a level of a long bracket", "out.number = [" .. ("="):rep(size - 14), "unexpected '['" },
    { "64 KB of a quote", "out.number = '" .. ("x"):rep(size - 14), "unfinished string" },
    { "64 KB of arguments", "out.number = min(1" .. (",1"):rep(math.floor((size - 20) / 2)) .. ")", "more than 4096" },
    { "64 KB of line ends", ("\n"):rep(size - 1) .. "#", "line 65536: unexpected '#', column 1" },
    { "more than 64 KB", (" "):rep(size + 1), "the text has 65537 bytes, more than 65536" },
  }
  for _, case in ipairs(texts) do
    it("of " .. case[1] .. (case[3] and " is refused" or " compiles"), function()
      local message = refused(case[2])
      if case[3] then
        assert.is_not_nil(message)
        assert.is_truthy(message:find(case[3], 1, true), message:sub(1, 200))
        assert.is_true(#message < 400)
      else
        assert.is_nil(message)
      end
    end)
  end
end)

describe("A damaged text, seed " .. seed, function()
  local WORDS = { "body", ".", "x", "=", "+=", "(", ")", "vec3", ",", "if", "then", "elseif", "else", "end", "local",
    "a",
    "and", "or", "not", "<", "==", "'run'", "1", "0x", "1e999", "has", "at", "random", "_", "self", "nobody", "-", "*",
    "^", ";", "--[[", "]]", "\0", "\255", "body.v", "body.state", "out.number", "transform.local_position", "nil",
      "true",
    " " }
  local pick = random(seed)

  it("compiles, or is refused with its line", function()
    for _ = 1, rounds(1000, 100) do
      local words = {}
      for number = 1, pick(30) do words[number] = WORDS[pick(#WORDS)] end
      local text = table.concat(words, " ")
      local message = refused(text)
      assert.is_true(message == nil or message:find "^line %d+: .*, column %d+" ~= nil
        or message:find("bad argument #1 to 'formula'", 1, true) ~= nil, text .. "\n" .. tostring(message))
    end
  end)
end)
