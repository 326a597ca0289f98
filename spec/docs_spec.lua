-- Holds the pages in docs/ against the tree: every file and every name that they mention in backquotes exists.

local tree = require "spec.support.tree"

local EXTENSIONS = { c = true, h = true, lua = true, md = true }
-- Of Lua and C themselves.
local FOREIGN = { ["lua.h"] = true, ["#include"] = true, __gc = true }

-- All words of the sources, and all paths with the folders above them.
local function look_through()
  local words, paths, found = {}, {}, {}
  for _, folder in ipairs { "src", "lua", "spec", "bench", "examples" } do tree.files(folder, found) end
  for _, path in ipairs(found) do
    local above = path
    while above do
      paths[above] = true
      above = above:match "^(.*)/"
    end
    if path:find "^src/.*%.[ch]$" or path:find "^lua/.*%.lua$" then
      for word in tree.read(path):gmatch "[%a_][%w_]*" do words[word] = true end
    end
  end
  return words, paths
end

-- What a quotation names: a path, or the words of "manager:method(a, b)" before its arguments.
local function is_path(quotation)
  return quotation:find("/", 1, true) ~= nil or quotation == "src" or EXTENSIONS[quotation:match "%.(%w+)$"] ~= nil
end

local function unknown_in(text, words, paths)
  local unknown = {}
  text = ("\n" .. text):gsub("\n    [^\n]*", ""):gsub("\n```.-\n```", "")
  for quotation in text:gmatch "`([^`\n]+)`" do
    local known = not is_path(quotation) or paths[quotation]
    if not is_path(quotation) then
      for word in quotation:gsub("%(.*$", ""):gmatch "[%a_][%w_]*" do known = known and words[word] end
    end
    if not known and not FOREIGN[quotation] then unknown[#unknown + 1] = quotation end
  end
  return unknown
end

describe("the pages in docs/", function()
  local words, paths = look_through()

  it("name files and functions that exist", function()
    local pages = tree.files "docs"
    assert.is_true(#pages > 0)
    for _, page in ipairs(pages) do
      assert.are.same({}, unknown_in(tree.read(page), words, paths), page)
    end
  end)

  it("are looked through for those that do not", function()
    local page = "`ct_store_find` `src/nowhere.c` `world:unheard_of(e)` `src/storage` `ct_manager_type.check` `lua.h`"
    assert.are.same({ "src/nowhere.c", "world:unheard_of(e)" }, unknown_in(page .. "\n\n    `drawn`", words, paths))
  end)
end)
