-- What an interpreter says of finalizers that raise. Lua 5.1 and older LuaJIT raise from whoever allocated, and say
-- nothing when the state closes; newer LuaJIT prints a line for each, and goes on. So does Lua 5.4 with warnings on.

local finalizer_errors = {}

-- What a program printed without those lines, and how many there were.
function finalizer_errors.without(output)
  local rest, count = ("\n" .. output):gsub("\nERROR in finalizer: [^\n]*", "")
  local left, warnings = rest:gsub("\nLua warning: error in [^\n]*", "")
  return left:sub(2), count + warnings
end

return finalizer_errors
