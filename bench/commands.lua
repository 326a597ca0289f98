-- Shell commands for bench/run.lua and bench/compare.lua. The file is in this folder because compare.lua copies the
-- folder over older commits. Must not depend on results.

local commands = {}

function commands.quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- Returns the lines that a command prints.
function commands.lines_of(command)
  local lines, pipe = {}, io.popen(command .. " 2>/dev/null")
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

-- Returns the command line of this interpreter with its options, for the benches in Lua.
function commands.interpreter()
  local first, words = 0, {}
  while arg[first - 1] do first = first - 1 end
  for i = first, -1 do words[#words + 1] = commands.quoted(arg[i]) end
  return table.concat(words, " ")
end

-- Returns the benches in a folder: an array of names, and name -> array of kinds, "c" before "lua".
function commands.benches_of(root)
  local names, kinds = {}, {}
  local list = "cd " .. commands.quoted(root) .. " && ls bench/*_bench.c bench/*_bench.lua"
  for _, path in ipairs(commands.lines_of(list)) do
    local name, kind = path:match "^bench/(.*)_bench%.(%a+)$"
    if not kinds[name] then
      kinds[name] = {}
      names[#names + 1] = name
    end
    table.insert(kinds[name], kind)
  end
  return names, kinds
end

return commands
