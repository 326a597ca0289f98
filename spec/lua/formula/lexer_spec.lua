-- Tokens of the formula language: numbers, strings, comments, places, and bytes that begin no token.

-- tags: pure_lua

local failure = require "cuttle.failure"
local lexer = require "cuttle.formula.lexer"

local HAS_VALUE = { name = true, number = true, string = true }

local function tokens(text)
  local lex, list = lexer.new(text), {}
  while lex.kind ~= lexer.END do
    list[#list + 1] = HAS_VALUE[lex.kind] and lex.value or lex.kind
    lex:advance()
  end
  return list
end

local function mistake(text)
  local found, message = failure.guard(tokens, text)
  assert.is_nil(found)
  return message
end

describe("The tokens of a formula", function()
  it("are names, keywords and operators", function()
    assert.same({ "health", ".", "hp", "+=", "x_1", "^", "(", "and", "not", ")", "~=", "<=", ";", "%" },
      tokens "health.hp += x_1^(and not)~= <= ;%")
  end)

  it("are separated by white space of every kind", function()
    assert.same({ "a", "b", "c" }, tokens "\t a\r\n\v\fb\n\n c ")
  end)

  it("include numbers as Lua writes them", function()
    assert.same({ 3, 3, 3.25, 0.5, 7, 31.4, 0.31, 255, 0, 1e-3, 2 ^ 53 - 1 },
      tokens "3 3.0 3.25 .5 7. 314.e-1 3.1E-1 0xfF 0x0 1e-3 0x1fffffffffffff")
  end)

  it("include strings with the escapes of Lua", function()
    assert.same({ "a'b", 'c"d', "tab\t", "\\", "A1", "line\nend", "\0" },
      tokens [["a'b" 'c"d' "tab\t" "\\" '\0651' "line\nend" "\0"]])
  end)

  it("include long strings", function()
    assert.same({ "a]b", "two\nlines", "x]]y" }, tokens "[[a]b]] [[\ntwo\nlines]] [==[x]]y]==]")
  end)

  it("do not include comments", function()
    assert.same({ "a", "b", "c", "d" }, tokens "a -- if\nb --[[ x\n y ]] c --[==[ ]] ]==] d --")
    assert.same({}, tokens "--[ not long")
    assert.same({ "a" }, tokens "-- \195\164\0\na")
  end)

  it("are limited to 64 KB", function()
    assert.same({}, tokens((" "):rep(65536)))
    assert.equal("the text has 65537 bytes, more than 65536", mistake((" "):rep(65537)))
  end)
end)

describe("A mistake in the tokens of a formula", function()
  local cases = {
    { "a number with letters", "a = 3x", "line 1: malformed number 3x, column 5" },
    { "a number with two points", "1.2.3", "line 1: malformed number 1.2.3, column 1" },
    { "an exponent without digits", "1e+", "line 1: malformed number 1e, column 1" },
    { "a hexadecimal number without digits", "0x", "line 1: malformed number 0x, column 1" },
    { "a hexadecimal number with a fraction", "0x1p4", "line 1: malformed number 0x1p4, column 1" },
    { "a number that is not finite", "\n 1e999", "line 2: the number 1e999 is not finite, column 2" },
    { "a hexadecimal number that is too large", "0x20000000000000",
      "line 1: the hexadecimal number 0x20000000000000 is not below 2^53, column 1" },
    { "a comment without end", "a\n\n  --[[ b", "line 3: unfinished comment, column 3" },
    { "a string without end", "a = 'b", "line 1: unfinished string, column 5" },
    { "a string with a line end", "'b\n'", "line 1: unfinished string, column 1" },
    { "a string that ends with a backslash", "'b\\", "line 1: unknown escape in a string, column 3" },
    { "a long string without end", "[==[ ]]", "line 1: unfinished string, column 1" },
    { "an unknown escape", [['\q']], "line 1: unknown escape in a string, column 2" },
    { "an escape above 255", [['\256']], "line 1: unknown escape in a string, column 2" },
    { "an operator of C", "a != b", "line 1: unexpected '!=', column 3 (did you mean '~='?)" },
    { "a conjunction of C", "a && b", "line 1: unexpected '&&', column 3 (did you mean 'and'?)" },
    { "a negation of C", "!b", "line 1: unexpected '!', column 1 (did you mean 'not'?)" },
    { "a character of Lua that formulas do not have", "#a", "line 1: unexpected '#', column 1" },
    { "a zero byte", "a\0b", "line 1: unexpected byte 0 outside of a string or comment, column 2" },
    { "a letter that is not ASCII", "a = \195\164",
      "line 1: unexpected byte 195 outside of a string or comment, column 5" },
  }
  for _, case in ipairs(cases) do
    it("is " .. case[1], function() assert.equal(case[3], mistake(case[2])) end)
  end

  it("has its line for line ends of every kind", function()
    for _, ending in ipairs { "\n", "\r\n", "\r", "\n\r" } do
      assert.equal("line 3: unexpected '#', column 2", mistake("a" .. ending .. ending .. " #"))
    end
  end)

  it("shows no more than the beginning of a long number", function()
    assert.is_true(#mistake(("9"):rep(60000)) < 120)
  end)
end)
