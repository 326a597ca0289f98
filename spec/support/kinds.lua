-- The ways in which methods are done here: in C, and under LuaJIT with its compiler on, also by compiled Lua.
-- kind.with(f, ...) calls f so that views, loops and objects made in it are of the kind. Answers what f answers.

local function pass(on, ok, ...)
  if on then jit.on() end
  if not ok then error((...), 0) end
  return ...
end

local on = jit ~= nil and (jit.status())

local kinds = {
  {
    name = "C",
    compiled = false,
    with = function(f, ...)
      if on then jit.off() end
      return pass(on, pcall(f, ...))
    end,
  },
}
if on then
  kinds[2] = { name = "compiled", compiled = true, with = function(f, ...) return f(...) end }
end

-- Kilobytes of garbage that one call of f leaves once it is compiled. When LuaJIT compiles what is by chance; it gets
-- several.
function kinds.garbage(f)
  local least = math.huge
  for _ = 1, 5 do
    jit.flush()
    for _ = 1, 100 do f() end
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 10 do f() end
    least = math.min(least, (collectgarbage "count" - before) / 10)
    collectgarbage "restart"
  end
  return least
end

return kinds
