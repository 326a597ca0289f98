-- Writes the whole module into two files, cuttle.c and cuttle.h, for programs that compile it with their own sources.
--
-- usage: lua tools/amalgamate.lua FOLDER PUBLIC_HEADER... -- SOURCE...
--
-- cuttle.h contains the public headers, including those of plugins, and cuttle.c the other headers and all sources. The
-- number of a source is appended to its private names, so that they do not collide with each other or with functions of
-- the system.

local ROOT = "src/"

local function read(path)
  local file = assert(io.open(ROOT .. path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

-- Private names ----------------------------------------------------------------------------------------------------

-- Removes comments, strings and preprocessor lines, which may contain unmatched braces.
local function bare(text)
  text = text:gsub("\\\n", " "):gsub("/%*.-%*/", " ")
  text = text:gsub('"[^"\n]*"', '""'):gsub("'\\?[^\n]'", "0"):gsub("//[^\n]*", "")
  return (("\n" .. text):gsub("\n[ \t]*#[^\n]*", "\n"))
end

-- The end of the block that begins at `at`.
local function block_end(text, at)
  return select(2, text:find("^%b{}", at))
end

local function add_enumerators(names, block)
  for name in block:sub(2, -2):gsub("=[^,]*", ""):gmatch "[%a_][%w_]*" do names[name] = true end
end

local STRUCTURES = { struct = true, union = true, enum = true }

-- Adds the names of a declaration outside functions. `head` is the text before its body or semicolon.
local function add_declared(names, head, block)
  local flat = head:gsub("__attribute__%s*%b()", ""):gsub("%b[]", ""):gsub("CT_NORETURN", ""):gsub("CT_[A-Z]+%b()", "")
  local keyword, tag = flat:match "%f[%a](%a+)%s+([%a_][%w_]*)%s*$"
  if block and STRUCTURES[keyword] then names[tag] = true end
  if block and flat:find "%f[%a]enum%f[%W]" then add_enumerators(names, block) end
  if not flat:find "%f[%a]static%f[%W]" and not flat:find "%f[%a]typedef%f[%W]" then return end
  local called = flat:match "%(%s*%*%s*([%a_][%w_]*)" -- a function type
  if flat:find "typedef" and called then names[called] = true return end
  local name = flat:gsub("=.*", ""):match "([%a_][%w_]*)%s*%(" or flat:gsub("=.*", ""):match "([%a_][%w_]*)%s*$"
  if name and not STRUCTURES[name] then names[name] = true end -- without a name: static const struct { ... } parts[]
end

-- The private names of a source, as a set.
local function own_names(text)
  local names, at = {}, 1
  text = bare(text):gsub('extern%s*""%s*{', "")
  while true do
    local stop = text:find("[;{]", at)
    if not stop then return names end
    local head = text:sub(at, stop - 1)
    if text:sub(stop, stop) == ";" then
      add_declared(names, head)
      at = stop + 1
    else
      local last = assert(block_end(text, stop), "a block has no end")
      add_declared(names, head, not head:find "[=)]" and text:sub(stop, last) or nil)
      at = last + 1
      if not head:find "%)%s*$" then -- a type or a value, followed by its name
        local semicolon = assert(text:find(";", at, true))
        local rest = text:sub(at, semicolon - 1)
        if rest:find "%S" then add_declared(names, "static " .. rest) end
        at = semicolon + 1
      end
    end
  end
end

local function macros_of(text)
  local names = {}
  for name in ("\n" .. text):gmatch "\n[ \t]*#[ \t]*define[ \t]+([%a_][%w_]*)" do names[#names + 1] = name end
  return names
end

-- Renaming ---------------------------------------------------------------------------------------------------------

-- The last place of a comment, string, character or #include line that begins at `at`, or nil.
local function skipped(text, at)
  local _, last = text:find("^//[^\n]*", at)
  if not last then _, last = text:find("^/%*.-%*/", at) end
  if not last then _, last = text:find("^#include[^\n]*", at) end
  if last or not text:find("^[\"']", at) then return last end
  local quote, place = text:sub(at, at), at + 1
  while text:sub(place, place) ~= quote do place = place + (text:sub(place, place) == "\\" and 2 or 1) end
  return place
end

-- Tests if a name is a member of the expression before it, or of a structure in its declaration.
local function is_member(text, first, last, in_structure)
  if text:find("^%s*%->", first - 2) or text:sub(first - 1, first - 1) == "." then return true end
  if not in_structure then return false end
  local behind = text:match("^%s*(.)", last + 1)
  return behind:find "[;,%[:]" ~= nil or (behind == ")" and text:sub(first - 2, first - 1) == "(*")
end

-- Replaces the names in a text that are keys of `names`.
local function rename(text, names)
  local parts, blocks, kept, at = {}, {}, 1, 1
  while true do
    at = text:find("[%a_{}/\"'#%d]", at)
    if not at then break end
    local last = skipped(text, at)
    local _, stop = text:find("^[%w_]+", at)
    if last then
      at = last + 1
    elseif stop then
      local new = names[text:sub(at, stop)]
      if new and not is_member(text, at, stop, blocks[#blocks]) then
        parts[#parts + 1], kept = text:sub(kept, at - 1) .. new, stop + 1
      end
      at = stop + 1
    else
      local char = text:sub(at, at)
      if char == "{" then
        local before = text:sub(math.max(1, at - 80), at - 1)
        local word = before:match "(%a+)%s+[%w_]*%s*$"
        blocks[#blocks + 1] = word == "struct" or word == "union"
      elseif char == "}" then
        blocks[#blocks] = nil
      end
      at = at + 1
    end
  end
  parts[#parts + 1] = text:sub(kept)
  return table.concat(parts)
end

-- Output -----------------------------------------------------------------------------------------------------------

local Writer = {}
Writer.__index = Writer

function Writer:add(...)
  for _, text in ipairs { ... } do self.parts[#self.parts + 1] = text end
end

-- The text of a file with the contents of its own headers, each only once.
function Writer:expanded(path)
  return (("\n" .. read(path)):gsub('\n#include "([^"\n]+)"[^\n]*', function(header)
    if self.seen[header] then return "\n" end
    self.seen[header] = true
    return "\n" .. self:expanded(header)
  end):sub(2))
end

-- A source, after the headers that it includes.
function Writer:add_source(path, number)
  local text = read(path)
  self:add("\n// ---- ", path, "\n\n")
  text = text:gsub('#include "([^"\n]+)"[^\n]*\n', function(header)
    if not self.seen[header] then
      self.seen[header] = true
      self:add(self:expanded(header))
    end
    return ""
  end)
  local names = {}
  for name in pairs(own_names(text)) do names[name] = not name:find "^ct_" and name .. "_" .. number or nil end
  self:add(rename(text, names))
  for _, name in ipairs(macros_of(text)) do
    if not name:find "^_" then self:add("#undef ", name, "\n") end
  end
end

local function write(path, parts)
  local file = assert(io.open(path, "wb"))
  file:write(table.concat(parts))
  file:close()
end

local function main(folder, ...)
  local headers, sources, into = {}, {}, nil
  for _, path in ipairs { ... } do
    into = into or headers
    if path == "--" then into = sources else into[#into + 1] = (path:gsub("^" .. ROOT, "")) end
  end
  local version = read("base/base.h"):match '#define CT_VERSION "([^"]+)"'
  local writer = setmetatable({ parts = {}, seen = { ["cuttle.h"] = true } }, Writer)
  writer:add("// cuttle ", version, ", all of its public headers in one file. Generated by `make amalgamation`: edit ",
    "the originals.\n", read "cuttle.h")
  for _, header in ipairs(headers) do
    if not writer.seen[header] then
      writer.seen[header] = true
      writer:add("\n// ---- ", header, "\n\n", writer:expanded(header))
    end
  end
  write(folder .. "/cuttle.h", writer.parts)
  -- The same program compiles with the installed files and with these.
  write(folder .. "/cuttle_host.h", { "// Programs without Lua: see cuttle.h.\n#include \"cuttle.h\"\n" })

  writer.parts = {}
  writer:add("// cuttle ", version, ", all of its sources in one file. Generated by `make amalgamation`: edit ",
    "the originals.\n",
    "//\n// Compile it as C99 with -ffp-contract=off. CT_WITHOUT_LUA leaves the binding out.\n",
    "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier)\n#endif\n",
    '#include "cuttle.h"\n')
  local with_lua = false
  for number, path in ipairs(sources) do
    if not with_lua and (path:find "^system/" or path:find "^bind/") then
      writer:add "\n#ifndef CT_WITHOUT_LUA\n"
      with_lua = true
    end
    writer:add_source(path, number)
  end
  if with_lua then writer:add "\n#endif\n" end
  write(folder .. "/cuttle.c", writer.parts)
end

main(...)
