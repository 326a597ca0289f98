-- Functions of Lua 5.1 for specs and their programs under Lua 5.3 to 5.5, run before them by LUA_INIT. luacheck ensures
-- that the Lua files of cuttle do not use them.
-- luacheck: globals unpack loadstring setfenv newproxy

unpack = table.unpack

function loadstring(text, name)
  return load(text, name)
end

function setfenv(f, environment)
  for i = 1, math.huge do
    local name = debug.getupvalue(f, i)
    if name == "_ENV" then debug.upvaluejoin(f, i, function() return environment end, 1) end
    if name == "_ENV" or not name then return f end
  end
end

-- Returns a userdata without contents: only the C library creates userdata, so this is a closed file without its
-- metatable.
-- A finalizer may be set later, as in Lua 5.1, because the metatable has one when it is set.
function newproxy(like)
  local proxy = io.tmpfile()
  proxy:close()
  local metatable = like == true and { __gc = function() end } or like and debug.getmetatable(like) or nil
  return debug.setmetatable(proxy, metatable)
end

-- From Lua 5.3 on, messages contain this name of files.
debug.getmetatable(io.stdout).__name = nil

-- The fastest collector for specs: its largest multiplier, and a step at each allocation.
local collect, FASTEST = collectgarbage, 1000

function collectgarbage(option, value) -- luacheck: globals collectgarbage
  if _VERSION == "Lua 5.5" and (option == "setpause" or option == "setstepmul") then
    return collect("param", option:sub(4), math.min(value, 1e5))
  end
  if option ~= "setstepmul" or _VERSION ~= "Lua 5.4" then return collect(option, value) end
  collect("incremental", 0, 0, value > FASTEST and 1 or 13)
  return collect(option, math.min(value, FASTEST))
end
