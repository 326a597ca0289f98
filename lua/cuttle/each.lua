--- `for key, value in each, t do`: goes through a table in a way that every LuaJIT gets right.
-- Knows nothing of what is in a table.
--
-- LuaJIT 2.1.0-beta3 as of 2021 and 2022, which Debian 12 has, compiles `next` and `pairs` wrongly on x64. A loop may
-- end before its time (LuaJIT issue 827), or read through a pointer of which half is lost (two results of a call are
-- exchanged as 32 bits). Where level source is read, entities would be missing without a word, or the process would
-- end. There this iterator is one that is never compiled, and neither is a loop that calls it. Elsewhere it is `next`.
-- @module cuttle.each

local jit = rawget(_G, "jit")

if not jit or not jit.version:find("beta", 1, true) then return next end

local next = next

local function each(t, key)
  return next(t, key)
end

jit.off(each)
return each
