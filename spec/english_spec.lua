-- Rules of plain English that a machine can check: openings of comments, spec titles and paragraphs of the manual, and
-- words for persons that do not exist. The rules themselves are in CONTRIBUTING.md.

-- tags: around once

local tree = require "spec.support.tree"

local OPENINGS = { who = true, whoever = true, whose = true, what = true, those = true }
local PERSONS = { nobody = true, whoever = true, somebody = true }

local FOLDERS = { "src", "lua", "spec", "docs", "bench", "examples", "tools" }
local TOP = { "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md" }
local GENERATED = { ["spec/level/history.txt"] = true, ["spec/english_spec.lua"] = true }

local COMMENT = { lua = "^%s*%-%-%-?%s?(.*)$", c = "^%s*///?<?%s?(.*)$", md = "^%s?(.*)$" }
COMMENT.h, COMMENT.cpp = COMMENT.c, COMMENT.c

-- "Nobody" as a name: cuttle.NOBODY, the word of the formula language, and strings.
local function without_names(line)
  return (line:gsub("[%w_.]*NOBODY[%w_]*", ""):gsub("`nobody`", ""):gsub("\\?[\"']nobody\\?[\"']", ""))
end

-- The first word of a text, in small letters, without marks in front of it.
local function first_word(text)
  return (text:match "^[%s%*#>|`_%-]*(%a+)" or ""):lower()
end

-- Whether a word is a value of the formula language in a file about it.
local function is_value(path, word) return word == "nobody" and path:find("formula", 1, true) ~= nil end

-- Calls found(line number, what is wrong) for each line that breaks a rule.
local function check(path, text, found)
  local comment, number, inside, in_code = COMMENT[path:match "%.(%w+)$"], 0, false, false
  local is_page, is_spec = path:find "%.md$", path:find "_spec%.lua$"
  for line in text:gmatch "([^\n]*)\n?" do
    number = number + 1
    local said = comment and line:match(comment)
    if is_page and line:find "^%s*```" then in_code = not in_code end
    if said and not inside and not in_code and OPENINGS[first_word(said)] and not said:find "?%s*$" then
      found(number, "opens with '" .. first_word(said) .. "'")
    end
    inside = said ~= nil and said:find "%S" ~= nil
    local title = is_spec and line:match "^%s*[di][et][%w]*[%s%(]+\"([^\"]*)\""
    if title and OPENINGS[first_word(title)] then found(number, "has a title with '" .. first_word(title) .. "'") end
    local may_have_person = line:find "[Bb][Oo][Dd][Yy]" or line:find "[Ww][Hh][Oo][Ee]"
    for word in (may_have_person and without_names(line) or ""):gmatch "%f[%w_]%a+%f[^%w_]" do
      if PERSONS[word:lower()] and not is_value(path, word) then found(number, "speaks of " .. word:lower()) end
    end
    if line:find("hears of", 1, true) then found(number, "hears of something") end
  end
end

local function files()
  local all = {}
  for _, folder in ipairs(FOLDERS) do
    for _, path in ipairs(tree.files(folder)) do
      if COMMENT[path:match "%.(%w+)$" or ""] and not GENERATED[path] then all[#all + 1] = path end
    end
  end
  for _, path in ipairs(TOP) do all[#all + 1] = path end
  return all
end

describe("The check of English", function()
  local function faults(path, text)
    local list = {}
    check(path, text, function(number, fault) list[#list + 1] = number .. " " .. fault end)
    return list
  end

  it("finds openings, titles and persons", function()
    assert.same({ "1 opens with 'who'" }, faults("a.c", "// Who writes a column.\nint a;\n"))
    assert.same({ "2 opens with 'what'" }, faults("a.lua", "local a\n-- What rows are made of\n-- those of a spawn\n"))
    assert.same({ "1 has a title with 'what'" }, faults("a_spec.lua", "it(\"what a column has\", function()\n"))
    assert.same({ "1 speaks of nobody" }, faults("a.c", "    fail(\"nobody has it\");\n"))
    assert.same({ "1 hears of something" }, faults("a.md", "A manager hears of deaths.\n"))
  end)

  it("accepts sentences, names and questions", function()
    assert.same({}, faults("a.c", "// Removes the rows of the dead,\n// those of this manager.\nCT_NOBODY;\n"))
    assert.same({}, faults("a.md", "`cuttle.NOBODY` is no entity.\n\nWhat does a query cost?\n"))
  end)
end)

describe("The English of the project", function()
  it("keeps the rules", function()
    local faults = {}
    for _, path in ipairs(files()) do
      check(path, tree.read(path), function(number, fault)
        faults[#faults + 1] = ("%s:%d: %s"):format(path, number, fault)
      end)
    end
    assert.same({}, faults)
  end)
end)
