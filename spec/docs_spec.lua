-- The pages of the manual: their programs run and print what the page shows, their links have targets, and the
-- names in them exist.

-- tags: around

local crown = require "spec.support.crown"
local files = require "cuttle.files"
local makefile = require "spec.support.makefile"
local page = require "spec.support.page"
local reference = require "tools.reference"
local tree = require "spec.support.tree"

local EXTENSIONS = { c = true, h = true, lua = true, md = true }
-- Names of Lua and C.
local FOREIGN = { ["lua.h"] = true, ["#include"] = true, __gc = true }
local ABOUT_OTHERS = "docs/coming-from.md" -- contains names of other libraries
-- Pages about the sources: every quoted name must exist there. Other pages also use names of their examples.
local INSIDE = {
  ["docs/architecture.md"] = true, ["docs/performance.md"] = true, ["docs/saving.md"] = true,
  ["docs/rewind.md"] = true, ["docs/live-editing.md"] = true,
}

-- Returns the words of the sources, and all paths with their parent folders.
local function read_sources()
  local words, paths, found = {}, {}, {}
  for _, folder in ipairs { "src", "lua", "spec", "bench", "examples", "docs", "tools" } do
    tree.files(folder, found)
  end
  for _, path in ipairs(found) do
    local parent = path
    while parent do
      paths[parent] = true
      parent = parent:match "^(.*)/"
    end
    if path:find "^src/.*%.[ch]$" or path:find "^lua/.*%.lua$" then
      for word in tree.read(path):gmatch "[%a_][%w_]*" do words[word] = true end
    end
  end
  return words, paths
end

-- Whether a quotation is a path; otherwise it is words, such as "manager:method(a, b)".
local function is_path(quotation)
  return quotation:find("/", 1, true) ~= nil or quotation == "src" or EXTENSIONS[quotation:match "%.(%w+)$"] ~= nil
end

local function unknown_in(text, words, paths, inside)
  local unknown = {}
  text = page.prose(text):gsub("\n    [^\n]*", "")
  for quotation in text:gmatch "`([^`\n]+)`" do
    local known = true
    if inside then
      known = not is_path(quotation) or paths[quotation]
      if not is_path(quotation) then
        for word in quotation:gsub("%(.*$", ""):gmatch "[%a_][%w_]*" do known = known and words[word] end
      end
    else
      local folder = quotation:match "^(%l+)/[%w_/.-]+$"
      if folder and paths[folder] then known = paths[quotation:gsub("/$", "")] end
      local method = quotation:match "^[%w_.]+:([%l_]+)%f[%W]" or quotation:match "^cuttle%.([%l_]+)"
      if method then known = words[method] or method:match "^set_" end
    end
    if not known and not FOREIGN[quotation] then unknown[#unknown + 1] = quotation end
  end
  return unknown
end

local function read_pages()
  local pages = { "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md" }
  for _, path in ipairs(tree.files "docs") do
    if path:match "%.md$" then pages[#pages + 1] = path end
  end
  local texts = {}
  for _, path in ipairs(pages) do texts[path] = tree.read(path) end
  return pages, texts
end

-- "docs/editors", "../saving.md" -> "docs/saving.md"
local function resolve(folder, link)
  return files.normalize(files.join(folder, link))
end

local function dead_links(path, text, texts, exists)
  local dead = {}
  for _, link in ipairs(page.links(text)) do
    local target, anchor = link:match "^([^#]*)#?(.*)$"
    local folder = path:match "^(.*)/" or "."
    target = target == "" and path or resolve(folder, target)
    local found = exists(target)
    if anchor ~= "" and found then
      found = page.anchors(target == path and text or texts[target] or tree.read(target))[anchor]
    end
    if not found then dead[#dead + 1] = link end
  end
  return dead
end

describe("the pages in docs/", function()
  local words, paths = read_sources()
  local pages, texts = read_pages()
  local function exists(path)
    if paths[path] or texts[path] then return true end
    local file = io.open(path)
    if file then file:close() end
    return file ~= nil
  end

  it("name only files and functions that exist", function()
    for _, path in ipairs(pages) do
      if path:match "^docs/" and not path:match "^docs/reference/" and path ~= ABOUT_OTHERS then
        assert.are.same({}, unknown_in(texts[path], words, paths, INSIDE[path]), path)
      end
    end
  end)

  it("are searched for names that do not exist", function()
    local text = "`ct_store_find` `src/nowhere.c` `world:unheard_of(e)` `src/storage` `lua.h`"
    assert.are.same({ "src/nowhere.c", "world:unheard_of(e)" },
      unknown_in(text .. "\n\n    `drawn`", words, paths, true))
    local guide = "`hp` `src/nowhere.c` `world:unheard_of(e)` `src/world` `world:join(a)` `cuttle.unheard`"
    assert.are.same({ "src/nowhere.c", "world:unheard_of(e)", "cuttle.unheard" }, unknown_in(guide, words, paths))
  end)

  for _, path in ipairs(pages) do
    it("have only links with existing targets in " .. path, function()
      assert.are.same({}, dead_links(path, texts[path], texts, exists))
    end)
  end

  it("show C code of the examples unchanged", function()
    local sources = {}
    for _, path in ipairs(tree.files "examples") do
      if path:match "%.c$" or path:match "%.cpp$" then sources[#sources + 1] = tree.read(path) end
    end
    sources = table.concat(sources)
    for path, text in pairs(texts) do
      for block in text:gmatch "\n```c\n(.-)\n```" do
        assert.is_truthy(sources:find(block, 1, true), path .. ": not in examples/:\n" .. block)
      end
    end
  end)

  it("are searched for dead links", function()
    local text = "# A `b`-c: d\n[a](#a-b-c-d) [b](nowhere.md) ![c](saving.md#writing-and-reading) [d](saving.md#none)"
      .. "\n```lua\nlocal x = y[1](z)\n```\n[e](https://example.org)"
    assert.are.same({ "nowhere.md", "saving.md#none" }, dead_links("docs/made-up.md", text, texts, function(path)
      return path == "docs/made-up.md" or exists(path)
    end))
  end)

  for _, path in ipairs(pages) do
    if path:match "^docs/" and not path:match "^docs/reference/" then
      for _, program in ipairs(page.programs(texts[path])) do
        it("have a program at " .. path .. ":" .. program.line .. " that runs and prints the shown output", function()
          local printed = page.run(program, path)
          if #program.promised > 0 then assert.are.same(program.promised, printed) end
        end)
      end
    end
  end

  -- Blocks that cannot run here, such as parts of LÖVE games, have a title. Blocks of the reference are fragments.
  it("have no block with a syntax error", function()
    local has_json, json = pcall(require, "cjson")
    for path, text in pairs(texts) do
      for tag, block in text:gmatch "\n```(%a+)[^\n]*\n(.-)\n```" do
        if tag == "lua" then
          assert.is_truthy(loadstring(block) or loadstring("return " .. block), path .. ":\n" .. block)
        elseif tag == "json" then
          local is_json = not has_json or pcall(json.decode, block) or pcall(json.decode, "{" .. block .. "}")
          assert.is_true(is_json, path .. ":\n" .. block)
        else
          assert.is_truthy(({ text = true, make = true, c = true, sh = true })[tag], path .. ": unknown tag " .. tag)
        end
      end
    end
  end)

  it("have programs of consecutive blocks, with the line numbers of the page", function()
    local text = "a\n```lua\nlocal x = 1\nprint(x) --> 1\n```\n```sh\nmake\n```\n```lua\nprint(x + 1) --> 2\n```\n"
      .. '```lua\nlocal cuttle = require "cuttle"\nerror(cuttle and "broken")\n```\n```lua title="other"\nno\n```\n'
    local programs = page.programs(text)
    assert.are.equal(2, #programs)
    assert.are.same({ "1", "2" }, page.run(programs[1], "made up"))
    assert.are.same({ "1", "2" }, programs[1].promised)
    local _, message = pcall(page.run, programs[2], "made up")
    assert.are.equal("made up:14: broken", message)
  end)
end)

-- The games run if the library is installed, and must print the same.
describe("docs/coming-from.md", function()
  local MODULES = { ["tiny-ecs"] = "tiny", Concord = "concord", ["evolved.lua"] = "evolved" }
  local text = tree.read "docs/coming-from.md"
  local function titled_blocks() return text:gmatch '\n(```lua) title="([^"\n]+)"(\n.-\n```)' end

  it("has Lua code of other libraries without syntax errors", function()
    local count = 0
    for fence, title, block in titled_blocks() do
      count = count + 1
      assert.is_truthy(loadstring(page.programs("\n" .. fence .. block)[1].text), title)
    end
    assert.are.equal(5, count)
  end)

  for fence, title, block in titled_blocks() do
    if MODULES[title] and pcall(require, MODULES[title]) then
      it("has a game for " .. title .. " that prints what the page shows", function()
        local program = page.programs("\n" .. fence .. block)[1]
        assert.are.same(program.promised, page.run(program, title))
      end)
    elseif title == "Crown" then
      it("has a game for Crown that prints what the page shows", function()
        local program, globals = page.programs("\n" .. fence .. block)[1], crown.new()
        local printed = page.run(program, title, globals)
        globals.run_engine(globals.init, globals.update, globals.shutdown)
        assert.are.same({ "5 5 500" }, program.promised)
        assert.are.same(program.promised, printed)
      end)
    end
  end
end)

describe("docs/errors.md", function()
  -- All sources as text, with strings joined and "..." for the values in messages.
  local function messages()
    local texts = {}
    for _, folder in ipairs { "src", "lua" } do
      for _, path in ipairs(tree.files(folder)) do
        if path ~= "lua/cuttle/meta.lua" then texts[#texts + 1] = tree.read(path) end
      end
    end
    local text = table.concat(texts):gsub('"%s*\n%s*%.?%.?%s*"', "")
    return (text:gsub("%%%.?%d*[sudfg]", "..."):gsub("%.%.%.%.%.%.", "..."))
  end

  it("lists only messages that exist", function()
    local known, count = messages(), 0
    for message in tree.read("docs/errors.md"):gmatch "\n| `([^`]+)` |" do
      count = count + 1
      assert.is_truthy(known:find(message, 1, true), message)
    end
    assert.is_true(count > 50)
    assert.is_nil(known:find("entity expected, but ...", 1, true))
  end)
end)

describe("the reference in docs/", function()
  local written = reference.pages(tree.read "lua/cuttle/meta.lua")

  it("is up to date with make reference", function()
    for name, text in pairs(written) do
      local path = "docs/reference/" .. name .. ".md"
      local file = io.open(path, "rb")
      local found = file and file:read "*a"
      if file then file:close() end
      assert.is_true(found == text, path .. " is out of date: run make reference")
    end
    for _, path in ipairs(tree.files "docs/reference") do
      assert.is_not_nil(written[path:match "([%w_]+)%.md$"], path .. " is not written by make reference")
    end
  end)

  it("has every function of meta.lua", function()
    local all = {}
    for _, text in pairs(written) do
      for title in text:gmatch "\n### ([^\n]+)" do all[title:gsub("^cuttle%.import%.", "import.")] = true end
    end
    for class, joint, name in tree.read("lua/cuttle/meta.lua"):gmatch "\nfunction (%w+)([.:])([%w_]+)%(" do
      assert.is_true(all[class .. joint .. name], class .. joint .. name)
    end
  end)
end)

describe("mkdocs.yml", function()
  it("has every page of docs/", function()
    local named = {}
    for path in tree.read("mkdocs.yml"):gmatch "([%w_/-]+%.md)%s*\n" do named["docs/" .. path] = true end
    for _, path in ipairs(tree.files "docs") do
      if path:match "%.md$" then assert.is_true(named[path], path .. " is not in the nav of mkdocs.yml") end
    end
  end)
end)

describe("docs/testing.md", function()
  local text = tree.read "docs/testing.md"

  it("names only commands that exist", function()
    local rules, count = "\n" .. makefile, 0
    for target in text:gmatch "`make (%l[%l%d-]*)" do
      count = count + 1
      assert.is_truthy(rules:find("\n" .. target:gsub("%-", "%%-") .. "[^\n]*:"), target)
    end
    assert.is_true(count > 12)
  end)

  it("names the steps of .ci/run and of make soak, and how much of them runs", function()
    local checks, count = tree.read ".ci/run" .. tree.read ".ci/soak" .. tree.read ".ci/steps.sh", 0
    for commands in text:gmatch "\n| [^|]+ | ([^|]+) |" do
      for target in commands:gmatch "`make (%l[%l%d-]*)" do
        count = count + 1
        assert.is_truthy(checks:find("%f[%w-]" .. target:gsub("%-", "%%-") .. "%f[^%w-]"), target)
      end
    end
    assert.is_true(count > 15)
    assert.equal(checks:match "make_step fuzz TIME=(%d+)", text:match "`make fuzz` with (%d+) seconds")
    local steps = text:match "`make play` with ([%d,]+) steps":gsub(",", "")
    assert.equal(checks:match "make_step play STEPS=(%d+)", steps)
    for command in checks:gmatch "(test%-%l%w+ BUILDS=few)" do
      assert.is_truthy(text:find("`make " .. command .. "`", 1, true), command)
    end
  end)

  it("names only specs that exist", function()
    local count = 0
    for path in text:gmatch "`(spec/[^`]+)`" do
      count = count + 1
      tree.read(path)
    end
    assert.is_true(count > 20)
  end)

  it("lists exactly the fuzz targets", function()
    local existing, listed = {}, {}
    for _, path in ipairs(tree.files "spec/fuzz") do
      local name = path:match "([%l_]+)%.c$"
      if name and name ~= "scene" then existing[name] = true end
    end
    for name in text:match("| target | input |.-\n\n"):gmatch "\n| `([%l_]+)`" do listed[name] = true end
    assert.same(existing, listed)
  end)
end)
