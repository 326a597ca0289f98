-- Converts lua/cuttle/meta.lua to the pages of docs/reference: one page for each kind of object.

local reference = {}

-- Objects that share a page. Other objects have their own.
local PAGE_OF = {
  EntityManager = "entities", list = "entities", Query = "world", Formula = "world", Template = "world",
  Buffer = "world", Manager = "managers", column = "columns",
  DebugName = "components", PointMass = "components", Mesh = "components", Model = "components",
  Actor = "components", Grid = "components", Writer = "compiler", Reader = "compiler", Snapshot = "snapshots",
  Recorder = "snapshots", Inspector = "inspector", Space = "space", Watch = "transform",
}
-- The variable of an object in signatures, if it is not its name in lower case.
local VARIABLE = {
  EntityManager = "entities", Manager = "manager", DebugName = "world.debug_name", PointMass = "world.point_mass",
  Mesh = "world.mesh", Model = "world.model", Actor = "world.actor", Grid = "world.grid",
  Transform = "world.transform", import = "cuttle.import",
}
local TITLE = {
  cuttle = "The module", entities = "Entities and lists", world = "World, queries and templates", managers = "Managers",
  columns = "Columns", components = "Built-in components", compiler = "Compiler, writer and reader",
  snapshots = "Snapshots and recorders", inspector = "The inspector", space = "Spaces", import = "Importers",
}

-- "name? type text" -> name, type, text. A type ends at the first space outside brackets.
local function split(text)
  local name, rest = text:match "^(%S+)%s*(.*)$"
  local depth, stop = 0, #rest
  for place = 1, #rest do
    local letter = rest:sub(place, place)
    if letter:match "[%(%[{<]" then depth = depth + 1 end
    if letter:match "[%)%]}>]" then depth = depth - 1 end
    local joined = rest:sub(1, place - 1):match "[|:,]%s*$" or rest:sub(place):match "^%s*|"
    if letter == " " and depth == 0 and not joined then
      stop = place - 1
      break
    end
  end
  return name, rest:sub(1, stop), rest:sub(stop + 2)
end

-- The file as a list of blocks: { text = lines, tags = { { tag, text } }, follower = the line after the comment }.
local function read_blocks(source)
  local blocks, block = {}, nil
  for line in source:gmatch "([^\n]*)\n" do
    local tag, text = line:match "^%-%-%-@(%w+)%s*(.*)$"
    if tag or line:match "^%-%-%- " or (block and line:match "^%-%-") then
      block = block or { text = {}, tags = {} }
      if tag and (tag == "class" or tag == "alias") and block.named then
        block.follower = ""
        blocks[#blocks + 1] = block
        block = { text = {}, tags = {} }
      end
      if tag then
        block.named = block.named or tag == "class" or tag == "alias"
        block.tags[#block.tags + 1] = { tag, text }
      else
        local words = line:gsub("^%-%-%-? ?", "")
        local last = block.tags[#block.tags]
        if last then
          last[2] = last[2] .. " " .. words
        else
          block.text[#block.text + 1] = words
        end
      end
    elseif block then
      block.follower = line
      blocks[#blocks + 1] = block
      block = nil
    end
  end
  return blocks
end

-- "[`World`](world.md#world)" for every documented type; the rest is in backquotes.
local function link_types(text, places, page)
  local pieces, from = {}, 1
  for start, name, stop in text:gmatch "()cuttle%.([%w_]+)()" do
    local place = places[name]
    if place then
      pieces[#pieces + 1] = from < start and "`" .. text:sub(from, start - 1) .. "`" or ""
      local target = place.page == page and "" or place.page .. ".md"
      pieces[#pieces + 1] = ("[`%s`](%s#%s)"):format(name, target, place.anchor)
      from = stop
    end
  end
  pieces[#pieces + 1] = from <= #text and "`" .. text:sub(from) .. "`" or ""
  return (table.concat(pieces):gsub("``", ""))
end

-- Indented lines become code blocks with a language.
local function write_text(out, lines)
  local code
  local function finish()
    if not code then return end
    while code[#code] == "" do code[#code] = nil end
    local text = table.concat(code, "\n")
    out[#out + 1] = (text:match "^%s*[{\"]" and "```json\n" or "```lua\n") .. text .. "\n```\n"
    code = nil
  end
  for i, line in ipairs(lines) do
    local inside = line:match "^    (.*)$"
    if inside and (code or lines[i - 1] == "") then
      code = code or {}
      code[#code + 1] = inside
    elseif code and line == "" then
      code[#code + 1] = ""
    else
      finish()
      out[#out + 1] = line
    end
  end
  finish()
  out[#out + 1] = ""
end

local function anchor_of(title)
  return (title:lower():gsub("[^%w_ -]", ""):gsub("[ -]+", "-"))
end

-- "integer|nil x, integer y where it is": types, names, and the description after the last one.
local function write_result(out, result, typed)
  local parts, rest = {}, result
  repeat
    local _, type_name, about = split("_ " .. rest)
    local name, after = about:match "^([%a_][%w_]*)(.*)$"
    rest = (after or ""):match "^, ([^%s,]+ [%a_].*)$"
    if not rest and (after or ""):match "^," then name, after = nil, nil end -- for a loop: "x, y, value"
    parts[#parts + 1] = (name and ("**`%s`** "):format(name) or "") .. typed(type_name)
    if not rest then
      local text = (after or about):match "^%s*(.*)$"
      if text ~= "" then parts[#parts] = parts[#parts] .. ": " .. text end
    end
  until not rest
  out[#out + 1] = "- returns " .. table.concat(parts, ", ")
end

local function write_item(out, item, places, page)
  local function typed(text) return link_types(text, places, page) end
  out[#out + 1] = (item.object and "## " or "### ") .. item.title .. "\n"
  if item.signature then out[#out + 1] = "```text\n" .. item.signature .. "\n```\n" end
  if item.parent then
    out[#out + 1] = ("Has all functions of %s, and these.\n"):format(typed("cuttle." .. item.parent))
  end
  write_text(out, item.text)
  for _, param in ipairs(item.params) do
    local name, type_name, about = split(param)
    local optional = name:match "%?$" and ", optional" or ""
    out[#out + 1] = ("- **`%s`** %s%s%s"):format(name:gsub("%?$", ""), typed(type_name), optional,
      about ~= "" and ": " .. about or "")
  end
  for _, result in ipairs(item.returns) do write_result(out, result, typed) end
  for _, overload in ipairs(item.overloads) do
    local _, type_name, about = split("_ " .. overload.returned)
    out[#out + 1] = ("- `%s` returns %s%s"):format(overload.signature, typed(type_name),
      about ~= "" and ": " .. about or "")
  end
  if #item.params + #item.returns > 0 then out[#out + 1] = "" end
end

-- "World:create" with "n?" as a parameter -> "world:create(components [, n [, out]])"; "z?" before a parameter that is
-- required -> "x [, z], reach".
local function signature(class, joint, name, params)
  local words, closing, required = "", "", 0
  for i, param in ipairs(params) do
    if not param:match "^%S+%?" then required = i end
  end
  for i, param in ipairs(params) do
    local word = param:match "^(%S+)"
    local comma = i > 1 and ", " or ""
    if word:match "%?$" and i < required then
      words = words .. (i > 1 and " [" or "[") .. comma .. word:gsub("%?$", "") .. "]"
    elseif word:match "%?$" then
      words, closing = words .. (i > 1 and " [" or "[") .. comma .. word:gsub("%?$", ""), closing .. "]"
    else
      words = words .. comma .. word
    end
  end
  return ("%s%s%s(%s%s)"):format(VARIABLE[class] or class:lower(), joint, name, words, closing)
end

-- "fun(self: cuttle.World, components: table<string, table>): cuttle.entity" -> another signature of a method.
local function read_overload(class, method, text)
  local given, returned = text:match "^fun%(self: cuttle%.%w+,? ?(.-)%): (.+)$"
  local params = {}
  for name in given:gmatch "([%w_]+%??):" do params[#params + 1] = name end
  return { signature = signature(class, ":", method, params), returned = returned }
end

local function read_item(block)
  local item = { text = block.text, params = {}, returns = {}, overloads = {} }
  local class, name
  for _, tag in ipairs(block.tags) do
    if tag[1] == "class" or tag[1] == "alias" then
      name = tag[2]:match "^([%w_.]+)"
      item.parent = tag[2]:match ": cuttle%.(%w+)"
      local plain = tag[2]:match ": (%l+)$" -- a Lua type with another name
      if plain then item.params[1] = "is " .. plain end
      if tag[1] == "alias" then item.params[1] = "is " .. tag[2]:match "^%S+%s+(.*)$" end
    elseif tag[1] == "param" or tag[1] == "field" then
      item.params[#item.params + 1] = tag[2]
    elseif tag[1] == "return" then
      item.returns[#item.returns + 1] = tag[2]
    end
  end
  if name then
    item.name = name:match "[%w_]+$"
    item.object = block.follower:match "^local ([%w_]+) = {}$"
    item.title = item.name
  else
    local joint, method
    class, joint, method = block.follower:match "^function ([%w_]+)([.:])([%w_]+)%("
    if not class then return nil end
    item.name = class .. ":" .. method
    item.title = (VARIABLE[class] and joint == "." and VARIABLE[class] or class) .. joint .. method
    item.signature = signature(class, joint, method, item.params)
    for _, tag in ipairs(block.tags) do
      if tag[1] == "overload" then
        item.overloads[#item.overloads + 1] = read_overload(class, method, tag[2])
        item.signature = item.signature .. "\n" .. item.overloads[#item.overloads].signature
      end
    end
  end
  return item
end

local function title_of(name) return TITLE[name] or name:sub(1, 1):upper() .. name:sub(2) end

local NOTICE = "<!-- Written by `make reference` from lua/cuttle/meta.lua: change that. -->\n"

-- The overview page: the signature and the first sentence of every function.
local function write_overview(items, order, places)
  local out = { NOTICE, "# Every function\n", "Arguments in `[ ]` are optional.\n" }
  for _, name in ipairs(order) do
    out[#out + 1] = ("## [%s](%s.md)\n"):format(title_of(name), name)
    for _, item in ipairs(items[name]) do
      if item.signature then
        local text = table.concat(item.text, " ")
        local sentence, place = text:match "^(.-%.)%s" or text, places[item.name]
        local ways = item.signature:gsub("\n", "`, `")
        out[#out + 1] = ("- [`%s`](%s.md#%s) %s"):format(ways, place.page, place.anchor, sentence)
      end
    end
    out[#out + 1] = ""
  end
  return (table.concat(out, "\n"):gsub("\n+$", "\n"))
end

-- The text of meta.lua -> page -> its Markdown.
function reference.pages(source)
  local items, places, order, page = {}, {}, {}, nil
  for _, block in ipairs(read_blocks(source)) do
    local item = read_item(block)
    if item then
      if item.object then page = PAGE_OF[item.object] or item.object:lower() end
      -- Entities are described before the EntityManager.
      item.page = (item.name == "entity" or item.name == "instance" or item.name == "target"
        or item.name == "entities") and "entities" or page
      if item.page and not items[item.page] then
        items[item.page] = {}
        order[#order + 1] = item.page
      end
      if item.page then
        table.insert(items[item.page], item)
        places[item.name] = places[item.name] or { page = item.page, anchor = anchor_of(item.title) }
      end
    end
  end
  local pages = {}
  for _, name in ipairs(order) do
    local out = { NOTICE, "# " .. title_of(name) .. "\n" }
    for _, item in ipairs(items[name]) do write_item(out, item, places, name) end
    pages[name] = (table.concat(out, "\n"):gsub("\n\n\n+", "\n\n"):gsub("\n+$", "\n"))
  end
  pages.index = write_overview(items, order, places)
  return pages
end

-- Writes the pages into a folder: luajit tools/reference.lua docs/reference
if arg and (arg[0] or ""):match "reference%.lua$" then
  local file = assert(io.open("lua/cuttle/meta.lua", "rb"))
  local source = file:read "*a"
  file:close()
  for name, text in pairs(reference.pages(source)) do
    local page = assert(io.open(arg[1] .. "/" .. name .. ".md", "wb"))
    page:write(text)
    page:close()
  end
end

return reference
