--- Lists of entries that are made when they are asked for, each time anew: a million tiles as tables take 430 MB.
-- Knows nothing of what the entries are. Only tools make such lists; scripts have plain tables.
-- @module cuttle.compiler.lazy

local lazy = {}

local List = {}

function List.__index(self, index)
  return List.made[self](index)
end

-- How the entries of a list are made. A list itself is empty.
List.made = setmetatable({}, { __mode = "k" })

--- A list whose entry at an index is what `make(index)` returns, nil behind the last.
function lazy.list(make)
  local list = setmetatable({}, List)
  List.made[list] = make
  return list
end

--- Whether a value is such a list.
function lazy.is(value)
  return getmetatable(value) == List
end

return lazy
