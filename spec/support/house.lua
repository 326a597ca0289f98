-- The house rules that a machine can hold: floors by #include, opening comments, lengths, names.
-- Works on a table of path -> text, so that its own spec can show it houses that break each rule.

local house = {}

local FLOORS = { base = 0, entity = 1, storage = 2, component = 3, world = 4, resource = 5, bind = 6 }
local LIMITS = { c = 400, h = 150 }
local FUNCTION_LIMIT = 45 -- "about 40", head and closing brace included
local LUA_HEADERS = { ["lua.h"] = true, ["lauxlib.h"] = true, ["lualib.h"] = true, ["luajit.h"] = true }
local OUTSIDE_HEADERS = { ["stdio.h"] = true, ["errno.h"] = true }
local OUTSIDE_WORDS = { "printf", "fprintf", "sprintf", "snprintf", "vsnprintf", "puts", "exit", "_exit", "errno" }
local UNFINISHED_WORDS = { "TODO", "FIXME", "XXX" }
local EMPTY_VERBS = { update = true, process = true, handle = true, util = true, utils = true, ["do"] = true }

local function has_word(text, word)
  return text:find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil
end

-- "src/base/alloc.h" -> "base", "alloc", "h". The public header src/cuttle.h stands in no folder, below all floors: the
-- core is made of what plugins see.
local function place(path)
  local folder, stem, kind = path:match "^src/([^/]+)/([^/]+)%.([ch])$"
  if folder then return folder, stem, kind end
  return nil, path:match "^src/([^/]+)%.([ch])$"
end

local function opening_comment(text)
  local block = text:match "^/%*.-%*/"
  if block then return block end
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do
    if not line:find "^//" then break end
    lines[#lines + 1] = line:match "^/+%s?(.*)"
  end
  return table.concat(lines, " ")
end

-- The code without comments, strings and preprocessor lines: what is left is all names and punctuation.
local function bare(text)
  text = text:gsub("\\\r?\n", " ")
  local out, i = {}, 1
  while i <= #text do
    local two = text:sub(i, i + 1)
    local one = two:sub(1, 1)
    if two == "//" then
      i = text:find("\n", i, true) or #text + 1
    elseif two == "/*" then
      local _, last = text:find("*/", i + 2, true)
      i = (last or #text) + 1
      out[#out + 1] = " "
    elseif one == '"' or one == "'" then
      local j = i + 1
      while j <= #text and text:sub(j, j) ~= one do j = j + (text:sub(j, j) == "\\" and 2 or 1) end
      out[#out + 1] = one .. one
      i = j + 1
    else
      out[#out + 1] = one
      i = i + 1
    end
  end
  return (("\n" .. table.concat(out)):gsub("\n[ \t]*#[^\n]*", "\n"))
end

-- Calls visit(name, is_static) for each function declared or defined in bare code.
local function each_function(code, visit)
  code = code:gsub('extern%s*""%s*{', ""):gsub("%b{}", ";"):gsub("__attribute__%s*%b()", "")
  for declaration in code:gmatch "[^;}]+" do
    local head, name = declaration:match "^%s*([^=(]-)([%a_][%w_]*)%s*%("
    -- A name with nothing before it is a macro's use at file level; typedefs and variables are no functions.
    if name and head:find "%S" and not has_word(head, "typedef") then
      visit(name, has_word(head, "static"))
    end
  end
end

-- A component may have several files: mesh.h, mesh.c, mesh_bounds.c are all of mesh.
local function component_of(files, stem)
  local best = stem
  for path in pairs(files) do
    local other = path:match "^src/component/([^/]+)%.h$"
    if other and #other < #best and stem:sub(1, #other + 1) == other .. "_" then best = other end
  end
  return best
end

local function check_includes(files, path, text, complain)
  local folder, stem = place(path)
  local floor = FLOORS[folder]
  for delimiter, included in text:gmatch '\n%s*#%s*include%s*([<"])([^>"\n]+)' do
    if LUA_HEADERS[included] then
      if folder ~= "bind" then complain("includes " .. included .. ": only bind knows Lua") end
    elseif OUTSIDE_HEADERS[included] then
      if folder ~= "bind" then complain("includes " .. included .. ": the core does not speak to the outside") end
    elseif delimiter == '"' then
      local other, other_stem = included:match "^([^/]+)/([^/]+)%.h$"
      if not files["src/" .. included] then
        complain("includes " .. included .. ", which is not below src")
      elseif not floor then
        complain("includes " .. included .. ": the public header stands alone")
      elseif other == folder then
        if folder == "component" and component_of(files, stem) ~= component_of(files, other_stem) then
          complain("includes " .. included .. ": components never include one another")
        end
      elseif other and (FLOORS[other] or math.huge) > floor then
        complain(("includes %s: floor %d looks up to floor %s"):format(included, floor, tostring(FLOORS[other])))
      end
    end
  end
end

local function check_names(path, code, complain)
  local folder, stem, kind = place(path)
  each_function(code, function(name, is_static)
    local public = not is_static or kind == "h"
    local of_lua = folder == "bind" and (name:find "^luaopen_" or (stem == "compat" and name:find "^luaL?_"))
    if public and not name:find "^ct_" and not of_lua then
      complain("function " .. name .. " does not begin with ct_")
    end
    if public then
      for part in name:gmatch "[^_]+" do
        if EMPTY_VERBS[part] then complain("function " .. name .. ": '" .. part .. "' says nothing") end
      end
    end
  end)
  for part in stem:gmatch "[^_]+" do
    if EMPTY_VERBS[part] then complain("file name: '" .. part .. "' says nothing") end
  end
end

-- As clang-format lays them out: a head that begins a line and ends with ") {", a brace alone on the last line.
local function check_functions(text, complain)
  local number, first, name, inside = 0, nil, nil, false
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    if not inside and line:find "^[%a_]" then
      first, name = number, line:match "([%a_][%w_]*)%("
    end
    if line:find "%) {$" and name then
      inside = true
    elseif line == "}" and inside then
      local lines = number - first + 1
      if lines > FUNCTION_LIMIT then
        complain(("function %s has %d lines, more than %d"):format(name, lines, FUNCTION_LIMIT))
      end
      inside, name = false, nil
    end
  end
end

-- All complaints about one file of the house, as texts that begin with its path.
function house.check_file(files, path)
  local complaints = {}
  local function complain(text) complaints[#complaints + 1] = path .. ": " .. text end

  local folder, stem, kind = place(path)
  if not stem or (folder and not FLOORS[folder]) or (not folder and path ~= "src/cuttle.h") then
    complain "stands in no room of the house"
    return complaints
  end

  local text = "\n" .. files[path]
  local code = bare(text)
  check_includes(files, path, text, complain)
  check_names(path, code, complain)
  check_functions(files[path], complain)

  if folder ~= "bind" then
    for _, word in ipairs(OUTSIDE_WORDS) do
      if has_word(code, word) then complain("uses " .. word .. ": the core does not speak to the outside") end
    end
  end
  for _, word in ipairs(UNFINISHED_WORDS) do
    if has_word(text, word) then complain("contains " .. word) end
  end

  local opening = opening_comment(files[path])
  local first_sentence = opening:match "^[^.]+%."
  local ignorance = opening:lower()
  if not first_sentence then
    complain "does not open with a sentence that says what it is"
  elseif not (ignorance:find "knows? nothing" or ignorance:find "knows? no " or ignorance:find "does not know") then
    complain "does not say at its opening what it knows nothing of"
  end

  local _, lines = files[path]:gsub("\n", "")
  if lines > LIMITS[kind] and not opening:find "Longer than" then
    complain(("has %d lines, more than %d, and no reason at the top ('Longer than ...')"):format(lines, LIMITS[kind]))
  end
  return complaints
end

-- All complaints about a house, in order of the paths.
function house.check(files)
  local paths, complaints = {}, {}
  for path in pairs(files) do paths[#paths + 1] = path end
  table.sort(paths)
  for _, path in ipairs(paths) do
    for _, complaint in ipairs(house.check_file(files, path)) do complaints[#complaints + 1] = complaint end
  end
  return complaints
end

return house
