--- Table iterator that every LuaJIT compiles correctly: `for key, value in each, t do`.
-- Does not depend on the contents of the table.
--
-- LuaJIT 2.1.0-beta3 of 2021 and 2022, which Debian 12 ships, compiles `next` and `pairs` wrongly on x64. A loop may
-- end early (LuaJIT issue 827), or read through a truncated pointer (two results of a call are exchanged as 32-bit
-- values). When level source is read, entities would be missing without an error, or the process would crash. On these
-- versions the iterator is a function that is never compiled, and a loop that calls it is not compiled either. On all
-- other versions it is `next`.
-- @module cuttle.each

local jit = rawget(_G, "jit")

if not jit or not jit.version:find("beta", 1, true) then return next end

local next = next

local function each(t, key)
  return next(t, key)
end

jit.off(each)
return each
