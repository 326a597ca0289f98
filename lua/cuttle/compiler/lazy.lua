--- Lists of entries that are made when they are asked for, each time anew: a million tiles as tables take 430 MB.
-- Knows nothing of what the entries are. Importers and tools make such lists; scripts have plain tables.
-- @module cuttle.compiler.lazy

local lazy = {}

local function by_list()
  return setmetatable({}, { __mode = "k" })
end

-- The functions that a list was made with. A list itself is empty.
local made, counts, places = by_list(), by_list(), by_list()

local List = { __index = function(self, index) return made[self](index) end }

-- What all entries say that are places, beside their transform.
local OUTLINE = { components = {} }

--- A list whose entry at an index is what `make(index)` returns, nil behind the last. `count()`: how many there are,
-- for `lazy.length`. `place(index)`: x and y, if all that the entry says is a transform at that place with z = 0; nil
-- for any other.
function lazy.list(make, count, place)
  local list = setmetatable({}, List)
  made[list], counts[list], places[list] = make, count, place
  return list
end

--- How many entries a list has, a plain one or one that was made with its count.
function lazy.length(list)
  local count = counts[list]
  return count and count() or #list
end

--- The place of an entry that says no more, as the list knows it: x and y, or nil.
function lazy.place(list, index)
  local place = places[list]
  if place then return place(index) end
end

--- What an entry of a plain or lazy list says beside its components: of one that is a place the same table each time.
function lazy.outline(list, index)
  return lazy.place(list, index) and OUTLINE or list[index]
end

--- Whether a value is such a list.
function lazy.is(value)
  return getmetatable(value) == List
end

return lazy
