-- A reader of Markdown pages: their programs, headings and links.

local page = {}

-- The Lua programs of a page: blocks with the tag lua. A block that begins by requiring cuttle begins a new program,
-- and other blocks continue the one before. Each program is a chunk with the line numbers of the page. Returns a list
-- of { line = of its first block, text = the chunk, promised = the texts of its `-->` comments }.
function page.programs(text)
  local programs, number, inside, first = {}, 0, false, false
  local program
  for line in (text .. "\n"):gmatch "([^\n]*)\r?\n" do
    number = number + 1
    if inside and line == "```" then
      inside = false
    elseif inside then
      if not program or (first and line == 'local cuttle = require "cuttle"') then
        program = { line = number, text = ("\n"):rep(number - 1), promised = {} }
        programs[#programs + 1] = program
      end
      first = false
      program.text = program.text .. ("\n"):rep(number - 1 - select(2, program.text:gsub("\n", ""))) .. line .. "\n"
      local promise = line:match "%-%->%s*(.-)%s*$"
      if promise then table.insert(program.promised, promise) end
    elseif line == "```lua" then
      inside, first = true, true
    end
  end
  return programs
end

-- Returns the program of the block with this title, which `page.programs` leaves out.
function page.titled(text, title)
  local head, block = text:match('^(.-\n)```lua title="' .. title:gsub("%p", "%%%0") .. '"(\n.-\n```)')
  return page.programs(head:gsub("[^\n]", "") .. "```lua" .. block)[1]
end

-- The printed lines of a program. `globals`: a table of additional globals, which also receives those of the program.
function page.run(program, name, globals)
  local printed = {}
  local environment = setmetatable(globals or {}, { __index = _G })
  function environment.print(...)
    local words = { ... }
    for i = 1, select("#", ...) do words[i] = tostring(words[i]) end
    printed[#printed + 1] = table.concat(words, " ")
  end
  setfenv(assert(loadstring(program.text, "=" .. name)), environment)()
  return printed
end

-- The text without its code blocks.
function page.prose(text)
  local kept, inside = {}, false
  for line in (text .. "\n"):gmatch "([^\n]*)\r?\n" do
    local fence = line:match "^%s*```"
    if not fence and not inside then kept[#kept + 1] = line end
    if fence then inside = not inside end
  end
  return table.concat(kept, "\n")
end

-- The anchors of its headings as mkdocs names them, as a set.
function page.anchors(text)
  local anchors = {}
  for heading in ("\n" .. page.prose(text)):gmatch "\n#+ +([^\n]+)" do
    local words = heading:gsub("%[(.-)%]%(.-%)", "%1"):lower():gsub("[^%w_%s-]", "")
    local anchor = words:match "^%s*(.-)%s*$":gsub("[%s-]+", "-")
    local count, name = 0, anchor
    while anchors[name] do
      count = count + 1
      name = anchor .. "_" .. count
    end
    anchors[name] = true
  end
  return anchors
end

-- The relative links and pictures in its prose, as a list.
function page.links(text)
  local links = {}
  for link in page.prose(text):gsub("`[^`\n]*`", ""):gmatch "%]%(([^)%s]+)%)" do
    if not link:match "^%a+:" then links[#links + 1] = link end
  end
  return links
end

return page
