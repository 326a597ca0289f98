-- The rules of the architecture that a program can check: layers by #include, opening comments, lengths, names. Works
-- on a table of path -> text, so that its spec can pass sources that break each rule.

local house = {}

local LAYERS = { base = 0, entity = 1, storage = 2, component = 3, world = 4, resource = 5, level = 6, host = 6.5,
  system = 6.8, bind = 7 }
-- The folders of bind, from bottom to top. No source is directly in src/bind: Microsoft's compiler searches headers
-- next to all including files, and would use src/bind/world/world.h for world/world.h.
local BIND_LAYERS = { value = 7.0, entities = 7.1, manager = 7.2, world = 7.3, component = 7.4,
  resource = 7.5, level = 7.6, snapshot = 7.7, replication = 7.75, plugin = 7.8, module = 7.9 }
local LIMITS = { c = 400, h = 150 }
local FUNCTION_LIMIT = 45 -- "about 40", including head and closing brace
local LUA_HEADERS = { ["lua.h"] = true, ["lauxlib.h"] = true, ["lualib.h"] = true, ["luajit.h"] = true }
local OUTSIDE_HEADERS = { ["stdio.h"] = true, ["errno.h"] = true }
local OUTSIDE_WORDS = { "printf", "fprintf", "sprintf", "snprintf", "vsnprintf", "puts", "exit", "_exit", "errno" }
local UNFINISHED_WORDS = { "TODO", "FIXME", "XXX" }
-- "handle" is not a specific verb. In src/bind it is the noun of ct_bind_handle.
local EMPTY_VERBS = { update = true, process = true, handle = true, util = true, utils = true, ["do"] = true }

local function has_word(text, word)
  return text:find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil
end

local function is_bind(folder)
  return folder ~= nil and folder:find "^bind%f[/%z]" ~= nil
end

-- The folders that may use files and streams.
local function has_files(folder) return folder == "system" or is_bind(folder) end

-- The layers of public headers: those that define their functions.
local PUBLIC = {
  ["src/cuttle_host.h"] = { "host", LAYERS.host }, ["src/cuttle_lua.h"] = { "bind/value", BIND_LAYERS.value },
}

-- "src/base/alloc.h" -> "base", "alloc", "h", 0; "src/bind/level/level.c" -> "bind/level", "level", "c", 7.6. The
-- public header src/cuttle.h is in no folder and below all layers, because the core uses the types of plugins.
local function place(path)
  local public = PUBLIC[path]
  if public then return public[1], path:match "([^/]+)%.h$", "h", public[2] end
  local folder, stem, kind = path:match "^src/(.+)/([^/]+)%.([ch])$"
  if not folder then return nil, path:match "^src/([^/]+)%.([ch])$" end
  local bind_folder = folder:match "^bind/(.+)$"
  local layer = LAYERS[folder:match "^[^/]+"]
  return folder, stem, kind, bind_folder and BIND_LAYERS[bind_folder] or not is_bind(folder) and layer or nil
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

-- The code without comments, strings and preprocessor lines: only names and punctuation.
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
    -- A name without a type is a macro call at file level; typedefs and variables are not functions.
    if name and head:find "%S" and not has_word(head, "typedef") then
      visit(name, has_word(head, "static"))
    end
  end
end

-- A component may have several files: mesh.h, mesh.c, mesh_bounds.c belong to mesh.
local function component_of(files, stem)
  local best = stem
  for path in pairs(files) do
    local other = path:match "^src/component/([^/]+)%.h$"
    if other and #other < #best and stem:sub(1, #other + 1) == other .. "_" then best = other end
  end
  return best
end

local function check_includes(files, path, text, complain)
  local folder, stem, _, layer = place(path)
  for delimiter, included in text:gmatch '\n%s*#%s*include%s*([<"])([^>"\n]+)' do
    if LUA_HEADERS[included] then
      if not is_bind(folder) then complain("includes " .. included .. ": only bind uses Lua") end
    elseif OUTSIDE_HEADERS[included] then
      if not has_files(folder) then complain("includes " .. included .. ": the core uses no I/O") end
    elseif delimiter == '"' then
      local other, other_stem, _, other_layer = place("src/" .. included)
      if not files["src/" .. included] then
        complain("includes " .. included .. ", which is not below src")
      elseif not layer then
        complain("includes " .. included .. ": the public header includes no other")
      elseif other == folder then
        if folder == "component" and component_of(files, stem) ~= component_of(files, other_stem) then
          complain("includes " .. included .. ": components never include one another")
        end
      elseif folder == "resource" and other == "component" then
        complain("includes " .. included .. ": resources access components through their types")
      elseif other and (other_layer or math.huge) > layer then
        complain(("includes %s: layer %s depends on layer %s"):format(included, layer, tostring(other_layer)))
      end
    end
  end
end

local function check_names(path, code, complain)
  local folder, stem, kind = place(path)
  each_function(code, function(name, is_static)
    local public = not is_static or kind == "h"
    local of_lua = is_bind(folder) and (name:find "^luaopen_" or (stem == "compat" and name:find "^luaL?_"))
    if public and not name:find "^ct_" and not of_lua then
      complain("function " .. name .. " does not begin with ct_")
    end
    if public then
      for part in name:gmatch "[^_]+" do
        local noun = part == "handle" and is_bind(folder)
        if EMPTY_VERBS[part] and not noun then complain("function " .. name .. ": '" .. part .. "' is not specific") end
      end
    end
  end)
  for part in stem:gmatch "[^_]+" do
    if EMPTY_VERBS[part] then complain("file name: '" .. part .. "' is not specific") end
  end
end

-- In the layout of clang-format: a head at the beginning of a line that ends with ") {", and a brace alone on the last
-- line.
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

-- All violations in one file, as texts that begin with its path.
function house.check_file(files, path)
  local complaints = {}
  local function complain(text) complaints[#complaints + 1] = path .. ": " .. text end

  local folder, stem, kind, layer = place(path)
  if not stem or (folder and not layer) or (not folder and path ~= "src/cuttle.h") then
    complain "is in no known folder"
    return complaints
  end

  local text = "\n" .. files[path]
  local code = bare(text)
  check_includes(files, path, text, complain)
  check_names(path, code, complain)
  check_functions(files[path], complain)

  if not has_files(folder) then
    for _, word in ipairs(OUTSIDE_WORDS) do
      if has_word(code, word) then complain("uses " .. word .. ": the core uses no I/O") end
    end
  end
  for _, word in ipairs(UNFINISHED_WORDS) do
    if has_word(text, word) then complain("contains " .. word) end
  end

  local opening = opening_comment(files[path])
  local first_sentence = opening:match "^[^.]+%."
  if not first_sentence then
    complain "does not begin with a comment of one sentence"
  end

  local _, lines = files[path]:gsub("\n", "")
  if lines > LIMITS[kind] and not opening:find "Longer than" then
    complain(("has %d lines, more than %d, and no reason at the top ('Longer than ...')"):format(lines, LIMITS[kind]))
  end
  return complaints
end

-- ------------------------------------------------------------------------------------------------ cycles

-- The functions and constant tables that a source exports, as a list.
local function definitions(text)
  local names = {}
  for line in ("\n" .. bare(text)):gsub("%b{}", "{}"):gsub("%s+", " "):gmatch "[^;}]+" do
    local head, name = line:match "^%s*([^=(]-)(ct_[%w_]*)%s*%b()%s*{"
    if not name then head, name = line:match "^%s*(const [^=(]-)(ct_[%w_]*)[%[%]%s]*=" end
    if name and not has_word(head, "static") and not has_word(head, "typedef") then names[#names + 1] = name end
  end
  return names
end

-- Path -> set of the other sources whose definitions it uses.
local function uses(files)
  local home, used = {}, {}
  for path, text in pairs(files) do
    if path:find "%.c$" then
      for _, name in ipairs(definitions(text)) do home[name] = path end
    end
  end
  for path, text in pairs(files) do
    if path:find "%.c$" then
      used[path] = {}
      for name in bare(text):gmatch "%f[%w_]ct_[%w_]*" do
        if home[name] and home[name] ~= path then used[path][home[name]] = true end
      end
    end
  end
  return used
end

-- Cycles of sources that use one another, each as a sorted list of paths.
function house.cycles(files)
  local used, cycles, seen = uses(files), {}, {}
  local function reach(from)
    local found, list = {}, { from }
    for _, path in ipairs(list) do
      for other in pairs(used[path]) do
        if not found[other] then
          found[other] = true
          list[#list + 1] = other
        end
      end
    end
    return found
  end
  local reached, paths = {}, {}
  for path in pairs(used) do
    reached[path] = reach(path)
    paths[#paths + 1] = path
  end
  table.sort(paths)
  for _, path in ipairs(paths) do
    local cycle = { path }
    for _, other in ipairs(paths) do
      if other ~= path and reached[path][other] and reached[other][path] then cycle[#cycle + 1] = other end
    end
    table.sort(cycle)
    if #cycle > 1 and not seen[cycle[1]] then cycles[#cycles + 1] = cycle end
    for _, member in ipairs(cycle) do seen[member] = true end
  end
  return cycles
end

-- Tests if files that use one another belong to one component whose header states it.
function house.is_one_component(files, cycle)
  local component
  for _, path in ipairs(cycle) do
    local folder, stem = place(path)
    local own = folder == "component" and component_of(files, stem)
    if not own or component and component ~= own then return false end
    component = own
  end
  return files["src/component/" .. component .. ".h"]:find("call one another", 1, true) ~= nil
end

-- ------------------------------------------------------------------------------------------------ amount of code

-- The number of code lines, without comments and blank lines, of the files that `wanted` accepts.
function house.count_code(files, wanted)
  local lines = 0
  for path, text in pairs(files) do
    if wanted(path) then
      local code = ("\n" .. text):gsub("/%*.-%*/", ""):gsub("//[^\n]*", "")
      for line in code:gmatch "[^\n]+" do
        if line:find "%S" then lines = lines + 1 end
      end
    end
  end
  return lines
end

-- All violations in all files, in the order of paths.
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
