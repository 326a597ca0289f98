-- Prepares docs/ for mkdocs, and its search for pages that are opened from the disk.
--
-- usage: manual.lua pages FOLDER    copies docs/ and its linked files into FOLDER, and writes FOLDER/mkdocs.yml
--        manual.lua search SITE     writes SITE/search/search_index.js from the search_index.json of mkdocs

package.path = "lua/?.lua;" .. package.path
local files = require "cuttle.files"

-- Pages of the manual in the root of the checkout.
local ROOT_PAGES = { ["CHANGELOG.md"] = true, ["CONTRIBUTING.md"] = true, ["SECURITY.md"] = true }

local function read(path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text = file:read "*a" -- nil for a folder
  file:close()
  return text
end

local made = {}
local function write(path, text)
  local folder = path:match "^(.*)/"
  if not made[folder] then assert(os.execute(("mkdir -p '%s'"):format(folder))) end
  made[folder] = true
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function files_below(folder)
  local found, pipe = {}, assert(io.popen(("find '%s' -type f ! -name '.*' | sort"):format(folder)))
  for path in pipe:lines() do found[#found + 1] = path end
  pipe:close()
  return found
end

-- "docs/guides", "../../src/cuttle.h" -> "src/cuttle.h"
local function resolve(folder, link)
  return files.normalize(files.join(folder, link))
end

-- Links out of docs/ lead to copies of files; links to folders become plain text, because a page cannot show one.
local function mend_links(text, page, folder)
  local here = page:match "^(.*)/" or "."
  local up = here:gsub("^docs/?", ""):gsub("^%.$", ""):gsub("[^/]+", ".."):gsub("([^/])$", "%1/")
  return (text:gsub("(!?)%[([^%]\n]*)%]%(([^)%s]+)%)", function(image, words, link)
    local path, anchor = link:match "^([^#]*)(.*)$"
    if path == "" or path:match "^%a+:" then return nil end
    local target = resolve(here, path)
    if target:match "^docs/" then return nil end
    if ROOT_PAGES[target] then return ("[%s](%s%s%s)"):format(words, up, target, anchor) end
    local bytes = read(target)
    if not bytes then return words end
    write(folder .. "/files/" .. target .. (target:match "%.md$" and ".txt" or ""), bytes)
    return ("%s[%s](%sfiles/%s%s)"):format(image, words, up, target, target:match "%.md$" and ".txt" or "")
  end))
end

local commands = {}

function commands.pages(folder)
  assert(os.execute(("rm -rf '%s'"):format(folder)))
  local docs = folder .. "/docs"
  for _, path in ipairs(files_below "docs") do
    local text = read(path)
    if path:match "%.md$" then text = mend_links(text, path, docs) end
    write(docs .. path:gsub("^docs", ""), text)
  end
  for page in pairs(ROOT_PAGES) do
    local text = read(page):gsub("%]%(docs/", "](") -- pages of docs/ are now in the same folder
    write(docs .. "/" .. page, mend_links(text, page, docs))
  end
  -- Omits missing pages and sections without pages.
  local config = {}
  for line in assert(read "mkdocs.yml"):gmatch "[^\n]*\n" do
    local page = line:match "^%s+%- .-([%w_/-]+%.md)%s*$"
    if config[#config] and config[#config]:match "^  %- [^:]+:%s*$" and not line:match "^      " then
      config[#config] = nil -- a section without pages
    end
    if not page or read(docs .. "/" .. page) then config[#config + 1] = line end
  end
  write(folder .. "/mkdocs.yml", table.concat(config))
  write(folder .. "/theme/main.html", assert(read "tools/manual.html"))
end

-- A page on the disk may load a script, but not read a file.
function commands.search(site)
  local index = assert(read(site .. "/search/search_index.json"))
  write(site .. "/search/search_index.js", "var __index = " .. index .. "; __search_loaded(__index)\n")
end

commands[arg[1]](arg[2])
