-- mutate(text, others): a damaged text, by math.random, for any format: it changes, removes, doubles and swaps bytes,
-- replaces numbers and quoted strings, and inserts pieces of other texts.

local random = math.random

-- Difficult input for parsers of numbers, text and structure.
local TOKENS = { "0", "-1", "1e999", "-0", "1e-400", "4294967296", "4294967295", "2147483648", "0.5", "nan", "inf",
  "null", "true", "false", "{}", "[]", "{", "}", "[", "]", ",", ":", '"', "'", "\\", "\\u0000", "\\ud800", "\0",
  "\255", "\239\187\191", "/", "//", "/*", "--", "--[[", "]]", "<", ">", "</", "/>", "&", "&#0;", "&lt;", "<!--", "-->",
  "<![CDATA[", "]]>", "<?", "return ", "function() end", "(", ")", "=", ";", "\n", "..", "../..", "a/b", "#" }

local NUMBERS = { "0", "-1", "1", "2", "3", "1.5", "1e9", "1e300", "-1e300", "1e999", "2147483647", "2147483648",
  "4294967295", "4294967296", "9007199254740993", "1e-300", "null", "true", '"5"', "[]", "{}" }

local function pick(list)
  return list[random(#list)]
end

-- A random range of a text, which is short in most cases.
local function range(text)
  local first = random(#text)
  local last = math.min(#text, first + (random(4) == 1 and random(#text) or random(24)) - 1)
  return first, last
end

local function put(text, first, last, piece)
  return text:sub(1, first - 1) .. piece .. text:sub(last + 1)
end

-- A random match of a pattern, or nil.
local function one_match(text, pattern)
  local from = random(#text)
  local first, last = text:find(pattern, from)
  if not first then first, last = text:find(pattern) end
  return first, last
end

local WAYS = {
  function(text) local at = random(#text) return put(text, at, at, string.char(random(0, 255))) end,
  function(text) local first, last = range(text) return put(text, first, last, "") end,
  function(text) local first, last = range(text) return put(text, last + 1, last, text:sub(first, last)) end,
  function(text) local at = random(#text) return put(text, at, at - 1, pick(TOKENS)) end,
  function(text) local first, last = range(text) return put(text, first, last, pick(TOKENS)) end,
  function(text)
    local first, last = range(text)
    local from, to = range(text)
    return put(text, first, last, text:sub(from, to))
  end,
  function(text, others)
    local other = pick(others)
    if other == "" then return text end
    local from, to = range(other)
    return put(text, random(#text), random(#text), other:sub(from, to))
  end,
}

-- Replaces a match of a pattern by another match or by a piece.
local function exchange(pattern, pieces)
  return function(text)
    local first, last = one_match(text, pattern)
    if not first then return text end
    local from, to = one_match(text, pattern)
    return put(text, first, last, pieces and pick(pieces) or text:sub(from, to))
  end
end

-- Changes that keep the syntax in most cases, and so reach deeper code.
local DEEPER = {
  exchange("%f[%w-]%-?%d[%d.]*%f[^%d.]", NUMBERS), exchange('"[^"]*"'), exchange("%b{}"), exchange("%b[]"),
  exchange("%b{}", { "{}", "[]", "0", '""', "null" }), exchange("%b[]", { "[]", "{}", "0", '""', "null" }),
  exchange('"[%w_]+"%s*:%s*[^,{}%[%]]+,', { "" }), exchange('%s[%w_]+="[^"]*"', { "" }),
  exchange("%s[%w_]+ = [^,{}]+,", { "" }), exchange("<[%w]+[^<>]*/>"),
}

return function(text, others)
  if random(30) == 1 then text = text:sub(1, random(#text)) end
  local ways = random(3) == 1 and WAYS or DEEPER
  for _ = 1, random(3) do
    if text == "" then return pick(TOKENS) end
    text = pick(ways)(text, others)
  end
  return text
end
