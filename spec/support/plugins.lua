-- Builds plugins with tools/plugin.sh into temporary folders, and loads them.
--
-- CC, CXX      the compilers, by default cc and c++

local command_line = require "spec.support.command_line"

local plugins = {}

-- Runs a command. Returns whether it succeeded, and its output.
function plugins.shell(command)
  local pipe = io.popen("{ " .. command .. "; } 2>&1; echo \"exit $?\"")
  local output = pipe:read "*a"
  pipe:close()
  local text, code = output:match "^(.-)exit (%d+)\n$"
  return code == "0", text
end

-- A sanitizer is preloaded for this process only, not for compilers.
local COMPILER = "env -u LD_PRELOAD "

function plugins.has_cxx()
  return (plugins.shell(COMPILER .. "${CXX:-c++} --version"))
end

function plugins.new_folder()
  local folder = os.tmpname()
  os.remove(folder)
  assert(plugins.shell("mkdir " .. folder))
  return folder
end

function plugins.remove_folder(folder)
  plugins.shell("rm -rf " .. folder)
end

-- LuaJIT builds the examples as users do. Other interpreters load the same code, so they compile it without
-- optimization, like the plugins of the specs, which takes a third of the time.
local function level_of(source)
  return rawget(_G, "jit") and not source:find "^spec/" and "" or " -O0"
end

-- Builds FOLDER/NAME.so without warnings. Returns its path.
function plugins.build(folder, name, source, flags)
  local path = ("%s/%s.so"):format(folder, name)
  local sanitized = os.getenv "CUTTLE_SANITIZER" == "1"
    and " -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" or ""
  local built, output = plugins.shell(("%stools/plugin.sh %s %s -Werror%s%s %s"):format(COMPILER, path, source,
    sanitized, level_of(source), flags or ""))
  if not built then error(output, 2) end
  return path
end

-- Calls luaopen_NAME of FOLDER/NAME.so and returns its result.
function plugins.load(folder, name)
  return assert(package.loadlib(("%s/%s.so"):format(folder, name), "luaopen_" .. name))()
end

-- Runs a script file as a user does; `folder` has the plugins.
function plugins.run(folder, script)
  local build = os.getenv "CUTTLE_BUILD" or "build/test"
  return plugins.shell(("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='%s/?.so;%s/?.so;;' %s %s"):format(build,
    folder, command_line.interpreter(), script))
end

-- Runs a script that is given as text.
function plugins.run_text(folder, text)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  local ok, output = plugins.run(folder, path)
  os.remove(path)
  return ok, output
end

return plugins
