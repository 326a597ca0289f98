--- `for key, value in each, t do`: goes through a table in a way that every LuaJIT gets right.
-- Knows nothing of what is in a table.
--
-- LuaJITs from the end of 2021 to April 2022, Debian 12 has one, may end a loop over `pairs(t)` or `next, t` before its
-- time once they have given up compiling it (LuaJIT issue 827). Where level source is read that would lose entities
-- without a word. They tell such a loop by the name of its iterator: under another name it is an ordinary one.
-- @module cuttle.each

return next
