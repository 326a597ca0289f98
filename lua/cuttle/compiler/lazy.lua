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
List.places = setmetatable({}, { __mode = "k" })

--- A list whose entry at an index is what `make(index)` returns, nil behind the last. `count()`: how many there are,
-- for `lazy.length`. `place(index)`: x and y, if all that the entry says is a transform at that place with z = 0; nil
-- for any other.
function lazy.list(make, count, place)
  local list = setmetatable({}, List)
  List.made[list], List.counts[list], List.places[list] = make, count, place
  return list
end

--- How many entries a list has, a plain one or one that was made with its count.
function lazy.length(list)
  local count = List.counts[list]
  return count and count() or #list
end

--- The place of an entry that says no more, as the list knows it: x and y, or nil.
function lazy.place(list, index)
  local place = List.places[list]
  if place then return place(index) end
end

--- What an entry of a plain or lazy list says beside its components: of one that is a place the same table each time.
function lazy.outline(list, index)
  return lazy.place(list, index) and List.outline or list[index]
end

List.outline = { components = {} }

--- Whether a value is such a list.
function lazy.is(value)
  return getmetatable(value) == List
end

return lazy
