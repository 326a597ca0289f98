--- What only the shell can tell: Lua 5.1 has no words for it.
-- Knows nothing of what is asked for which reason.
--
-- Each question starts a process. Windows has no such shell: there the answer is no.
-- @module cuttle.cli.shell

local shell = {}

local IS_WINDOWS = package.config:sub(1, 1) == "\\"

-- A command line may have 128 KiB on Linux.
local LONGEST = 2 ^ 16

local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function is_true(condition)
  if IS_WINDOWS then return false end
  local result = os.execute(condition)
  return result == 0 or result == true
end

--- Whether standard error is a terminal.
function shell.is_terminal()
  return is_true "test -t 2"
end

--- Whether a path names something that is neither file nor folder: a device or a pipe. Opening it to find out would
-- already mean something to a pipe's reader.
function shell.is_special(path)
  local name = quoted(path)
  return is_true(("test -e %s && test ! -f %s && test ! -d %s"):format(name, name, name))
end

-- The folder of a path, and its last part.
local function parts_of(path)
  local folder, last = path:match("^(.*/)([^/]*)$")
  return (folder or "") .. ".", last or path
end

-- Whether two paths lead to one file, or would, once there is one: by links, or in one folder under one name.
local function condition_of(path, other)
  local folder, last = parts_of(path)
  local other_folder, other_last = parts_of(other)
  local condition = ("test %s -ef %s"):format(quoted(path), quoted(other))
  if last ~= other_last then return condition end
  return ("%s || test %s -ef %s"):format(condition, quoted(folder), quoted(other_folder))
end

local function answer_of(lines)
  local pipe = io.popen("{ " .. table.concat(lines, "\n") .. "\n} 2>/dev/null")
  local answer = pipe:read("*a")
  pipe:close()
  return tonumber(answer)
end

--- The first of several paths that leads to the same file as `path`, as its place among them; nil if none does. Only
-- files count: two devices may be one terminal.
function shell.first_same(path, others)
  if IS_WINDOWS or #others == 0 or shell.is_special(path) then return nil end
  local lines, length = {}, 0
  for place, other in ipairs(others) do
    lines[#lines + 1] = ("if %s; then echo %d; exit; fi"):format(condition_of(path, other), place)
    length = length + #lines[#lines]
    if length > LONGEST or place == #others then
      local found = answer_of(lines)
      if found then return found end
      lines, length = {}, 0
    end
  end
  return nil
end

return shell
