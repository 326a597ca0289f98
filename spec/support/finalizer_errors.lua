-- The output of an interpreter for finalizers that raise. Lua 5.1 and older LuaJIT raise from any allocation, and print
-- nothing when the state closes; newer LuaJIT prints a line for each and continues. So does Lua 5.4 with warnings on.

local finalizer_errors = {}

-- The output of a program without these lines, and their number.
function finalizer_errors.without(output)
  local rest, count = ("\n" .. output):gsub("\nERROR in finalizer: [^\n]*", "")
  local left, warnings = rest:gsub("\nLua warning: error in [^\n]*", "")
  return left:sub(2), count + warnings
end

return finalizer_errors
