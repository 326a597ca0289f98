-- Compiling, linking and running C programs with the flags of the build under test.

local file = require "spec.support.file"

local build = os.getenv "CUTTLE_BUILD" or "build/test"

local host_program = {}

-- The interpreter of the specs, as a library.
local LUA = rawget(_G, "jit") and "luajit-5.1" or "lua" .. _VERSION:match "%S+$"

-- The command that starts programs of other machines.
local START = os.getenv "CUTTLE_RUN"
local programs = {}

-- Runs a command. Returns whether it succeeded, and its output. A preloaded sanitizer is only for the interpreter of
-- the specs: compilers run without it, and sanitized programs contain theirs.
function host_program.run(command)
  local output = os.tmpname()
  if START then command = command:gsub("%S+", function(word) return programs[word] and START .. " " .. word end) end
  local status = os.execute(("env -u LD_PRELOAD %s >%s 2>&1 </dev/null"):format(command, output))
  local text = file.read(output)
  os.remove(output)
  return status == 0 or status == true, text
end

-- Notes a program that `run` starts on its machine. host_program.compile notes what it compiles.
function host_program.note(program) programs[program] = true end

-- The command that compiled the build under test, with sanitizers, from its stamp file.
function host_program.compile_command()
  local folder, variant = build:match "^(.-)/?([^/]+)$"
  local known = variant == "test" or variant == "asan" or variant == "tsan" or variant == "coverage"
  if not known then folder, variant = build, "release" end
  return (file.read(("%s/obj/%s/compile.stamp"):format(folder, variant)):gsub("%s+$", "")) .. " -Werror"
end

-- The linker flags for the interpreter's library, "static" or "shared", or nil if it is not installed.
function host_program.lua_library(kind)
  local name = ("lib%s.%s"):format(LUA, kind == "static" and "a" or "so")
  local _, path = host_program.run(host_program.compile_command():match "^%S+" .. " -print-file-name=" .. name)
  path = path:gsub("%s+$", "")
  return path ~= name and path .. " -lm -ldl" or nil
end

-- The archives of the build; `with_lua`: also the binding.
function host_program.archives(with_lua)
  return (with_lua and build .. "/libcuttle_lua.a " or "") .. build .. "/libcuttle.a -lm"
end

-- The compile command for C++, without flags that apply only to C.
local function compile_cxx_command()
  local command = host_program.compile_command():gsub("^%S+", os.getenv "CXX" or "c++"):gsub("%-std=%S+", "-std=c++11")
  return (command:gsub("%-Wmissing%-prototypes", ""):gsub("%-Wstrict%-prototypes", ""))
end

-- Compiles one or several sources, all C or all C++. Returns the path of the program.
function host_program.compile(source, libraries)
  local program = os.tmpname()
  local command = source:find "%.cpp$" and compile_cxx_command() or host_program.compile_command()
  local done, output = host_program.run(("%s -D_POSIX_C_SOURCE=200809L %s -o %s %s"):format(command, source, program,
    libraries))
  if not done then
    os.remove(program)
    error(("%s does not compile:\n%s"):format(source, output), 2)
  end
  host_program.note(program)
  return program
end

-- Returns the output of a program without Lua, which must succeed. The arguments follow `source`.
function host_program.output(source, ...)
  local program = host_program.compile(source, host_program.archives())
  local done, output = host_program.run(table.concat({ program, ... }, " "))
  os.remove(program)
  assert(done, output)
  return output
end

-- Writes a level compiled from level source. Returns its path.
function host_program.level(source, compiler)
  -- The thread sanitizer's module cannot be loaded into an interpreter that is not built with it.
  local cuttle = require "cuttle"
  local path = os.tmpname()
  compiler = compiler or cuttle.compiler(cuttle.world(cuttle.entity_manager()))
  file.write(path, (assert(compiler:compile(source))))
  return path
end

-- Writes a Lua script that finds the project's Lua files, and the module under test unless the program contains it.
-- Returns its path.
function host_program.script(text)
  local path, paths = os.tmpname(), [[package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
    package.cpath = "%s/?.so;" .. package.cpath
]]
  file.write(path, paths:format(build) .. text)
  return path
end

return host_program
