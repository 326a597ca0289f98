-- The implementations of methods: in C, and also in compiled Lua if LuaJIT's compiler is on. kind.with(f, ...) calls f
-- so that it creates views, loops and objects of the kind, and returns the results of f.

local collect = require "spec.support.collect"

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

-- The garbage of one call of f after it was compiled, in kilobytes: the best of several tries, because the moment of
-- compilation is random.
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

-- The garbage of `calls` calls of f in the interpreter, in kilobytes, after 30 calls. The compiler of LuaJIT allocates.
function kinds.interpreted_garbage(f, calls)
  local garbage
  kinds[1].with(function()
    for _ = 1, 30 do f() end
    collect()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, calls do f() end
    garbage = collectgarbage "count" - before
    collectgarbage "restart"
  end)
  return garbage
end

return kinds
