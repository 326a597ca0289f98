--- Lists of entries that are made when they are asked for, each time anew: a million tiles as tables take 430 MB.
-- Knows nothing of what the entries are. Importers and tools make such lists; scripts have plain tables.
-- @module cuttle.compiler.lazy

local lazy = {}

local List = {}

function List.__index(self, index)
  return List.made[self](index)
end

-- How the entries of a list are made, and how many there are. A list itself is empty.
List.made = setmetatable({}, { __mode = "k" })
List.counts = setmetatable({}, { __mode = "k" })

--- A list whose entry at an index is what `make(index)` returns, nil behind the last. `count()`: how many there are,
-- for `lazy.length`.
function lazy.list(make, count)
  local list = setmetatable({}, List)
  List.made[list], List.counts[list] = make, count
  return list
end

--- How many entries a list has, a plain one or one that was made with its count.
function lazy.length(list)
  local count = List.counts[list]
  return count and count() or #list
end

--- Whether a value is such a list.
function lazy.is(value)
  return getmetatable(value) == List
end

return lazy
