--- Lists that make each entry on demand, because a million tiles as tables take 430 MB.
-- Does not depend on the contents of entries. Importers and tools make such lists; scripts use plain tables.
-- @module cuttle.compiler.lazy

local lazy = {}

local function by_list()
  return setmetatable({}, { __mode = "k" })
end

-- The functions of each list. The list itself is an empty table.
local made, counts, places = by_list(), by_list(), by_list()

local List = { __index = function(self, index) return made[self](index) end }

-- The outline of every entry that is only a place.
local OUTLINE = { components = {} }

--- Makes a list. `make(index)` returns the entry at an index, or nil after the last. `count()` returns the length, for
-- `lazy.length`. `place(index)` returns x and y if the entry has only a transform at that place with z = 0, else nil.
function lazy.list(make, count, place)
  local list = setmetatable({}, List)
  made[list], counts[list], places[list] = make, count, place
  return list
end

--- Returns the length of a plain list, or of a lazy list that has a `count`.
function lazy.length(list)
  local count = counts[list]
  return count and count() or #list
end

--- Returns x and y of an entry that has only a place, or nil.
function lazy.place(list, index)
  local place = places[list]
  if place then return place(index) end
end

--- Returns an entry without its components. Entries that are only places share one table.
function lazy.outline(list, index)
  return lazy.place(list, index) and OUTLINE or list[index]
end

--- Returns whether a value is a lazy list.
function lazy.is(value)
  return getmetatable(value) == List
end

return lazy
