-- Compiles a C program as the build under test was compiled, links it, and runs it.
-- Knows nothing of what the program does.

local file = require "spec.support.file"

local build = os.getenv "CUTTLE_BUILD" or "build/test"

local host_program = {}

-- The interpreter under which the specs run, as a library.
local LUA = rawget(_G, "jit") and "luajit-5.1" or "lua" .. _VERSION:match "%S+$"

-- How programs are started that are not of this machine's kind.
local START = os.getenv "CUTTLE_RUN"
local programs = {}

-- Whether the command ended well, and what it wrote. A sanitizer's runtime that was loaded beforehand is for the
-- interpreter of the specs; compilers run without, and sanitized programs have theirs inside.
function host_program.run(command)
  local output = os.tmpname()
  if START then command = command:gsub("%S+", function(word) return programs[word] and START .. " " .. word end) end
  local status = os.execute(("env -u LD_PRELOAD %s >%s 2>&1 </dev/null"):format(command, output))
  local text = file.read(output)
  os.remove(output)
  return status == 0 or status == true, text
end

-- The command line that compiled the build under test, sanitizers and all. Its stamp keeps it.
local function compile_command()
  local folder, variant = build:match "^(.-)/?([^/]+)$"
  local known = variant == "test" or variant == "asan" or variant == "tsan" or variant == "coverage"
  if not known then folder, variant = build, "release" end
  return (file.read(("%s/obj/%s/compile.stamp"):format(folder, variant)):gsub("%s+$", "")) .. " -Werror"
end

-- The compiler's libraries that link the interpreter: "static" or "shared". nil when this machine has none.
function host_program.lua_library(how)
  local name = ("lib%s.%s"):format(LUA, how == "static" and "a" or "so")
  local _, path = host_program.run(compile_command():match "^%S+" .. " -print-file-name=" .. name)
  path = path:gsub("%s+$", "")
  return path ~= name and path .. " -lm -ldl" or nil
end

-- The build's own archives; `with_lua`: the binding too.
function host_program.archives(with_lua)
  return (with_lua and build .. "/libcuttle_lua.a " or "") .. build .. "/libcuttle.a -lm"
end

-- The same for C++. What is said to C alone is left out.
local function compile_cxx_command()
  local command = compile_command():gsub("^%S+", os.getenv "CXX" or "c++"):gsub("%-std=%S+", "-std=c++11")
  return (command:gsub("%-Wmissing%-prototypes", ""):gsub("%-Wstrict%-prototypes", ""))
end

-- The path of the program. Sources are one or several, all in C or all in C++.
function host_program.compile(source, libraries)
  local program = os.tmpname()
  local command = source:find "%.cpp$" and compile_cxx_command() or compile_command()
  local done, output = host_program.run(("%s -D_POSIX_C_SOURCE=200809L %s -o %s %s"):format(command, source, program,
    libraries))
  if not done then
    os.remove(program)
    error(("%s does not compile:\n%s"):format(source, output), 2)
  end
  programs[program] = true
  return program
end

-- The path of a new file with a Lua script that finds this project's Lua files and, where the program has not brought
-- it along, the module under test.
function host_program.script(text)
  local path, paths = os.tmpname(), [[package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
    package.cpath = "%s/?.so;" .. package.cpath
]]
  file.write(path, paths:format(build) .. text)
  return path
end

return host_program
