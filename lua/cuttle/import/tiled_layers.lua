--- Turns the layers of a Tiled map, groups within groups, into entities of level source.
-- Knows nothing of how tiles and objects become entities, nor of files.
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

-- Calls visit(data, above, index) for every layer in the document's order, the cursor in it, groups before what is in
-- them. `above` is what `visit` answered for the group around it; false leaves out what is in a group.
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
      local state = visit(data, frame.above, frame.index)
      if state and data.type == "group" then
        if #stack > MAX_DEPTH then
          failure.raise("%s: groups of layers are nested too deep (limit is %d)", cursor.file, MAX_DEPTH)
        end
        stack[#stack + 1] = { list = cursor:maybe(data, "layers", "array", {}), index = 0, above = state }
        cursor:enter("layers", 0)
      end
    end
  end
end

-- What mappings see ------------------------------------------------------------------------------------------------

local TYPES = { tilelayer = true, objectgroup = true, imagelayer = true, group = true }

local function product(a, b)
  if not a or not b then return a or b end
  return { a[1] * b[1], a[2] * b[2], a[3] * b[3], a[4] * b[4] }
end

-- What a layer shows with the groups around it taken in.
local function total_of(layer)
  local outer = layer.parent and layer.parent.total
    or { x = 0, y = 0, opacity = 1, visible = true, parallax_x = 1, parallax_y = 1 }
  return { x = outer.x + layer.x, y = outer.y + layer.y, opacity = outer.opacity * layer.opacity,
    visible = outer.visible and layer.visible, tint = product(outer.tint, layer.tint),
    parallax_x = outer.parallax_x * layer.parallax_x, parallax_y = outer.parallax_y * layer.parallax_y }
end

-- A cursor at a layer, put together when it is wanted: deep groups would make one for each too dear.
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

function DESCRIBE.tilelayer(import, cursor, data, layer)
  layer.columns, layer.rows = tilesets.whole(cursor, data, "width", 0), tilesets.whole(cursor, data, "height", 0)
  layer.cells = function()
    local cells_of = cursor_at(import, layer)
    if import.handed[data] then cells_of.tally = nil end -- they are counted once
    import.handed[data] = true
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

-- The id of a layer as level source has it: numbers of layers are not those of objects.
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

-- Which layers -----------------------------------------------------------------------------------------------------

-- Returns function(layer) -> whether it is taken, whether to look into it; and `missed`, which tells the names that no
-- layer has. A named layer takes the groups around it along, since it stands where they put it.
local function selection(import, cursor, taken)
  local wanted, met, names, offered = import.options.layers, {}, {}, {}
  if wanted == nil then return function() return true, true end, function() end end
  if type(wanted) == "function" then
    return function(layer)
      local answer = source.call(cursor, "option layers", wanted, layer)
      return answer, answer
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
      if not met[name] then cursor:fail(nil, "no layer is named %q%s", name, failure.hint(name, offered)) end
    end
  end
end

--- One pass before the rest: describes the layers, tells which are taken, and which objects references can mean.
-- @treturn table `described` (by the document's layer), `layers` (set of the descriptions that are taken)
function layers.choose(import, cursor, document)
  local chosen = { described = {}, layers = {} }
  local take, missed = selection(import, cursor, chosen.layers)
  walk(cursor, document, function(data, above, index)
    local layer = describe(import, cursor, data, above, index)
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
  local what = "layer " .. layer.name:sub(1, 60)
  layer.fields, layer.references = fields.read(import, cursor, data, layer.class, "layer", import.directory)
  local transform, grid, components, name = { position = { layer.x, layer.y, 0 } }
  if layer.type == "tilelayer" and import.options.tiles == "grid" then
    grid, transform = tiled_grids.read(import, cursor, data, layer)
  end
  if mapping then
    local returned
    returned, name = source.call(cursor, what, mapping, layer)
    components = source.components(cursor, what, transform, returned)
  else
    components = import.leftovers:components(transform, layer.fields)
  end
  if grid then grids.lay(components, grid) end
  return { name = source.chosen_name(cursor, what, layer.name, name), id = layer.id, children = {},
    components = components }
end

-- Counts the tiles that nobody asked for, as far as they can be read.
local function count_unasked(import, cursor, data)
  if import.options.tiles == false or import.handed[data] then return end
  local count = failure.guard(tiles.filled, import, cursor:fork(), data)
  import.leftovers:count(count and "tiles" or "packed", count or 1)
end

--- The entities of the chosen layers, with what is in them.
-- @tparam table import
-- @tparam cursor cursor at the root of the document
-- @tparam table document
-- @tparam table chosen of `layers.choose`
function layers.build(import, cursor, document, chosen)
  local entities, nodes = {}, {}
  walk(cursor, document, function(data, above)
    local layer = chosen.described[data]
    if not layer or not chosen.layers[layer] then return false end
    local node = build_layer(import, cursor, data, layer)
    local siblings = above and above.children or entities
    siblings[#siblings + 1], nodes[#nodes + 1] = node, node
    if layer.type == "tilelayer" and import.options.tiles == true then
      node.children = tiles.append(import, cursor, data, layer, node.children, import.options.tile)
    elseif layer.type == "tilelayer" and not import.options.tiles then
      count_unasked(import, cursor, data)
    elseif layer.type == "objectgroup" then
      for number, object in cursor:each(data, "objects") do
        node.children[number] = objects.build(import, cursor, object, layer, number)
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
