-- Files that a spec writes and leaves behind for nobody: after_each(temporary.remove_all).

local temporary = {}

local written = {}

--- Writes a file that `remove_all` removes. Answers its path.
function temporary.write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  written[#written + 1] = path
  return path
end

function temporary.remove_all()
  for index = 1, #written do os.remove(written[index]) end
  written = {}
end

return temporary
