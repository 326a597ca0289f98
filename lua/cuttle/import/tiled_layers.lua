--- Conversion of the layers of a Tiled map, with nested groups, to entities of level source.
-- Does not depend on the conversion of tiles and objects, nor on files.
-- @module cuttle.import.tiled_layers

local cursors = require "cuttle.import.cursor"
local failure = require "cuttle.failure"
local fields = require "cuttle.import.tiled_fields"
local grids = require "cuttle.import.grids"
local lazy = require "cuttle.compiler.lazy"
local objects = require "cuttle.import.tiled_objects"
local source = require "cuttle.import.source"
local tiled_grids = require "cuttle.import.tiled_grids"
local tiles = require "cuttle.import.tiled_tiles"
local tilesets = require "cuttle.import.tiled_tilesets"

local layers = {}

local MAX_DEPTH = cursors.MAX_DEPTH

-- Calls visit(data, group, index) for every layer in document order, with the cursor at it; groups before their
-- contents. `group` is the result of `visit` for the enclosing group. If a result is false, the contents of that group
-- are skipped.
local function walk(cursor, document, visit)
  local stack = { { list = cursor:need(document, "layers", "array"), index = 0 } }
  cursor:enter("layers", 0)
  while #stack > 0 do
    local frame = stack[#stack]
    frame.index = frame.index + 1
    if frame.index > #frame.list then
      stack[#stack] = nil
      cursor:leave(2)
    else
      cursor:leave()
      local data = cursor:need(frame.list, frame.index, "object")
      cursor:enter(frame.index)
      local state = visit(data, frame.group, frame.index)
      if state and data.type == "group" then
        if #stack > MAX_DEPTH then
          failure.raise("%s: groups of layers are nested too deep (limit is %d)", cursor.file, MAX_DEPTH)
        end
        stack[#stack + 1] = { list = cursor:maybe(data, "layers", "array", {}), index = 0, group = state }
        cursor:enter("layers", 0)
      end
    end
  end
end

-- Descriptions -----------------------------------------------------------------------------------------------------

local TYPES = { tilelayer = true, objectgroup = true, imagelayer = true, group = true }

local function product(a, b)
  if not a or not b then return a or b end
  return { a[1] * b[1], a[2] * b[2], a[3] * b[3], a[4] * b[4] }
end

-- Combines the properties of a layer with those of the groups around it.
local function total_of(layer)
  local outer = layer.parent and layer.parent.total
    or { x = 0, y = 0, opacity = 1, visible = true, parallax_x = 1, parallax_y = 1 }
  return { x = outer.x + layer.x, y = outer.y + layer.y, opacity = outer.opacity * layer.opacity,
    visible = outer.visible and layer.visible, tint = product(outer.tint, layer.tint),
    parallax_x = outer.parallax_x * layer.parallax_x, parallax_y = outer.parallax_y * layer.parallax_y }
end

-- Makes a cursor at a layer. It is made on demand, because a cursor for each layer of deep groups would be too
-- expensive.
local function cursor_at(import, layer)
  local cursor, indices = import.cursor:fork(), {}
  cursor.depth = 0
  while layer do
    indices[#indices + 1] = layer.index
    layer = layer.parent
  end
  for position = #indices, 1, -1 do cursor:enter("layers", indices[position]) end
  return cursor
end

local DESCRIBE = {}

-- Returns the size of the box around the chunks of a layer, because the formats of Tiled write different sizes.
local function size_of_chunks(cursor, data)
  local left, top, right, bottom = math.huge, math.huge, -math.huge, -math.huge
  for _, chunk in cursor:each(data, "chunks") do
    local x, y = cursor:need(chunk, "x", "coordinate"), cursor:need(chunk, "y", "coordinate")
    left, right = math.min(left, x), math.max(right, x + tilesets.whole(cursor, chunk, "width", 0))
    top, bottom = math.min(top, y), math.max(bottom, y + tilesets.whole(cursor, chunk, "height", 0))
  end
  if left > right then return 0, 0 end
  return right - left, bottom - top
end

function DESCRIBE.tilelayer(import, cursor, data, layer)
  layer.columns, layer.rows = tilesets.whole(cursor, data, "width", 0), tilesets.whole(cursor, data, "height", 0)
  if import.map.infinite then layer.columns, layer.rows = size_of_chunks(cursor, data) end
  layer.cells = function()
    local cells_of = cursor_at(import, layer)
    if import.cells_read[data] then cells_of.tally = nil end -- cells are counted once
    import.cells_read[data] = true
    return failure.guard(tiles.cells, import, cells_of, data)
  end
end

function DESCRIBE.objectgroup(_, cursor, data, layer)
  layer.draw_order = cursor:maybe(data, "draworder", "string", "topdown")
  layer.color = fields.color(cursor, data, "color")
end

function DESCRIBE.imagelayer(import, cursor, data, layer)
  layer.image = tilesets.image(cursor, data, "image", import.directory)
  layer.repeat_x = cursor:maybe(data, "repeatx", "boolean", false)
  layer.repeat_y = cursor:maybe(data, "repeaty", "boolean", false)
  layer.transparent_color = fields.color(cursor, data, "transparentcolor")
end

-- Returns the id of a layer for level source. It has a prefix, because layers and objects are numbered independently.
local function claim(import, cursor, data)
  local number = cursor:maybe(data, "id", "integer", 0)
  if number == 0 then return nil end
  local id = string.format("layer %.14g", number)
  if import.owners[id] then
    cursor:fail("id", "%.14g is also the id of layer %s", number, failure.show(import.owners[id]))
  end
  import.owners[id] = cursor:maybe(data, "name", "string", "")
  return fields.id(import, id)
end

local function describe(import, cursor, data, parent, index)
  cursor:count_in(nil, "elements", 1)
  local layer = { name = cursor:maybe(data, "name", "string", ""), id = claim(import, cursor, data),
    class = fields.class(cursor, data), type = cursor:need(data, "type", "string"),
    x = cursor:maybe(data, "offsetx", "coordinate", 0), y = cursor:maybe(data, "offsety", "coordinate", 0),
    opacity = cursor:maybe(data, "opacity", "coordinate", 1), visible = cursor:maybe(data, "visible", "boolean", true),
    tint = fields.color(cursor, data, "tintcolor"), parallax_x = cursor:maybe(data, "parallaxx", "coordinate", 1),
    parallax_y = cursor:maybe(data, "parallaxy", "coordinate", 1), index = index, parent = parent, map = import.map }
  if not TYPES[layer.type] then
    cursor:fail("type", "unknown layer type %s%s", failure.show(layer.type),
      failure.hint(layer.type, { "tilelayer", "objectgroup", "imagelayer", "group" }))
  end
  layer.total = total_of(layer)
  if DESCRIBE[layer.type] then DESCRIBE[layer.type](import, cursor, data, layer) end
  return layer
end

-- Selection --------------------------------------------------------------------------------------------------------

-- Returns function(layer) -> whether it is imported, whether to visit its contents; and `missed`, which raises an error
-- for names that no layer has. A named layer also selects the groups around it, because its position depends on them.
local function selection(import, cursor, taken)
  local wanted, met, names, offered = import.options.layers, {}, {}, {}
  if wanted == nil then return function() return true, true end, function() end end
  if type(wanted) == "function" then
    return function(layer)
      local result = source.call(cursor, "option layers", wanted, layer)
      return result, result
    end, function() end
  end
  for _, name in ipairs(wanted) do names[name] = true end
  local inside = {}
  local function take(layer)
    offered[#offered + 1] = layer.name
    if names[layer.name] then met[layer.name] = true end
    inside[layer] = names[layer.name] or inside[layer.parent or layer]
    local outer = inside[layer] and layer.parent
    while outer and not taken[outer] do
      taken[outer] = true
      outer = outer.parent
    end
    return inside[layer], true
  end
  return take, function()
    -- Not every map of a world has every layer.
    for _, name in ipairs(import.is_world and {} or wanted) do
      if not met[name] then cursor:fail(nil, "unknown layer %q%s", name, failure.hint(name, offered)) end
    end
  end
end

--- First pass: describes the layers, and determines which are imported and which objects references may refer to.
-- @treturn table `described` (by the document's layer), `layers` (set of the descriptions that are imported)
function layers.choose(import, cursor, document)
  local chosen = { described = {}, layers = {} }
  local take, missed = selection(import, cursor, chosen.layers)
  walk(cursor, document, function(data, group, index)
    local layer = describe(import, cursor, data, group, index)
    local taken, open = take(layer)
    chosen.described[data] = layer
    if taken then chosen.layers[layer] = true end
    if taken and layer.type == "objectgroup" then
      for _, object in cursor:each(data, "objects") do
        local id = cursor:maybe(object, "id", "integer", 0)
        if id ~= 0 then import.imported[id] = true end
      end
    end
    return open and layer
  end)
  missed()
  return chosen
end

-- Entities ---------------------------------------------------------------------------------------------------------

local function build_layer(import, cursor, data, layer)
  local mapping = import.options.layer
  local label = "layer " .. layer.name:sub(1, 60)
  layer.fields, layer.references = fields.read(import, cursor, data, layer.class, "layer", import.directory)
  local transform, grid, components, name = { position = { layer.x, layer.y, 0 } }
  if layer.type == "tilelayer" and import.options.tiles == "grid" then
    grid, transform = tiled_grids.read(import, cursor, data, layer)
  end
  if mapping then
    local returned
    returned, name = source.call(cursor, label, mapping, layer)
    components = source.components(cursor, label, transform, returned)
  else
    components = import.leftovers:components(transform, layer.fields)
  end
  if grid then grids.merge(components, grid) end
  return { name = source.chosen_name(cursor, label, layer.name, name), id = layer.id, children = {},
    components = components }
end

-- Counts the tiles that are left out, as far as they can be decoded.
local function count_skipped(import, cursor, data)
  if import.options.tiles == false or import.cells_read[data] then return end
  local count = failure.guard(tiles.filled, import, cursor:fork(), data)
  import.leftovers:count(count and "tiles" or "packed", count or 1)
end

-- Sorts the objects of a layer by y, as Tiled draws them in the draw order "topdown". Objects with the same y keep the
-- order of the document.
local function sort_topdown(children, ys)
  local order, sorted = {}, {}
  for number in ipairs(children) do order[number] = number end
  table.sort(order, function(a, b)
    if ys[a] ~= ys[b] then return ys[a] < ys[b] end
    return a < b
  end)
  for place, number in ipairs(order) do sorted[place] = children[number] end
  return sorted
end

--- Returns the entities of the selected layers, with their contents.
-- @tparam table import
-- @tparam cursor cursor at the root of the document
-- @tparam table document
-- @tparam table chosen from `layers.choose`
function layers.build(import, cursor, document, chosen)
  local entities, nodes = {}, {}
  walk(cursor, document, function(data, group)
    local layer = chosen.described[data]
    if not layer or not chosen.layers[layer] then return false end
    local node = build_layer(import, cursor, data, layer)
    local siblings = group and group.children or entities
    siblings[#siblings + 1], nodes[#nodes + 1] = node, node
    if layer.type == "tilelayer" and import.options.tiles == true then
      node.children = tiles.append(import, cursor, data, layer, node.children, import.options.tile)
    elseif layer.type == "tilelayer" and not import.options.tiles then
      count_skipped(import, cursor, data)
    elseif layer.type == "objectgroup" then
      local ys = {}
      for number, object in cursor:each(data, "objects") do
        node.children[number], ys[number] = objects.build(import, cursor, object, layer, number)
      end
      if import.options.draw_order and layer.draw_order == "topdown" then
        node.children = sort_topdown(node.children, ys)
      end
    end
    return node
  end)
  for _, node in ipairs(nodes) do
    if lazy.length(node.children) == 0 then node.children = nil end
  end
  return entities
end

return layers
