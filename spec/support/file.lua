-- Reading and writing of whole files.

local file = {}

function file.read(path)
  local opened = assert(io.open(path, "rb"))
  local text = opened:read "*a"
  opened:close()
  return text
end

function file.write(path, text)
  local opened = assert(io.open(path, "wb"))
  assert(opened:write(text))
  assert(opened:close())
end

return file
