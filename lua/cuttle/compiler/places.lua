--- Places in source files, for messages: `level.json: entities[3].children[1].components.mesh[2]`; inside a prefab,
-- after the place that includes it: `level.json: entities[3].prefab: lamp.json: entities[1]`.
-- Does not depend on the contents of these places.
--
-- Places are formatted only for messages. `nodes` is the result of source.lua. The root of a prefab instance has
-- several places, its layers: number 1 is the outermost.
-- @module cuttle.compiler.places

local failure = require "cuttle.failure"
local unpack = require "cuttle.compat".unpack

local concat, format, match = table.concat, string.format, string.match

local places = {}

-- Entities ---------------------------------------------------------------------------------------------------------

local function layer_of(nodes, node, number)
  local layers = nodes.layers[node]
  return layers and layers[number]
end

local function document_of(nodes, node, number)
  local layer = layer_of(nodes, node, number)
  return layer and layer.document or nodes.document[node]
end

--- Formats the place of a node, `entities[3].children[1]`. The middle of a very long place is left out.
function places.inside(nodes, node, number)
  local parts, up = {}, nodes.up
  while node > 0 do
    local layer = layer_of(nodes, node, number)
    local in_children = up[node] > 0 and not (layer and layer.position)
    parts[#parts + 1] = (in_children and ".children[" or "entities[")
      .. (layer and layer.position or nodes.position[node]) .. "]"
    number = nodes.via[node] or 1
    node = in_children and up[node] or 0
  end
  local shown = {}
  for index = #parts, 1, -1 do
    local from_top = #parts - index
    if #parts <= 40 or from_top < 20 or index <= 10 then
      shown[#shown + 1] = parts[index]
    elseif from_top == 20 then
      shown[#shown + 1] = "..."
    end
  end
  return concat(shown)
end

-- The name of the file that contains a layer of a node, and the place in it.
local function site_of(nodes, node, number)
  return document_of(nodes, node, number).name .. ": " .. places.inside(nodes, node, number)
end

-- Formats a key. A key is a string, or { path } for the overrides of the entities at a path.
local function text_of(key)
  return type(key) == "table" and "overrides[" .. failure.show(key[1]) .. "]" or key
end

-- The beginning of a message about a prefab's file: the source and the place where it includes the prefab. Empty for
-- the source itself. The files in between are left out, because there may be hundreds.
local function way_to(nodes, document)
  local node
  while document.outer do node, document = document.node, document.outer end
  return node and document.name .. ": " .. places.inside(nodes, node, 1) .. ".prefab: " or ""
end

--- Raises an error at a key of a layer of a node.
function places.fail_in(nodes, node, number, key, message, ...)
  local document, place = document_of(nodes, node, number), places.inside(nodes, node, number)
  if key ~= "" then place = place .. "." .. text_of(key) end
  failure.raise("%s%s: %s: %s", way_to(nodes, document), document.name, place, format(message, ...))
end

--- Formats an error in the prefab's file that the current entry includes.
function places.in_file(nodes, node, message)
  return way_to(nodes, { outer = document_of(nodes, node, nodes.reading), node = node }) .. message
end

--- Raises an error at a key of the current entry; `nodes.reading` is its layer.
function places.fail(nodes, node, key, message, ...)
  places.fail_in(nodes, node, nodes.reading, key, message, ...)
end

-- Components -------------------------------------------------------------------------------------------------------

-- The table of components that contains a component, and its position in an array there or 0. For a debug_name that is
-- made from the entity's name, the components of the entity.
local function source_of(nodes, node, position, origin, field)
  local number = origin and (field and origin.sources[field] or origin.number)
  local from = origin and nodes.overlays[node][number]
  if not from then return { node = node, layer = 1, key = "components" }, position end
  return from, number == origin.number and origin.position or 0
end

--- Returns the place of a component and its document. `origin` is an item of overlay.merge, or nil if the node has only
-- one table of components; `field` selects one of the tables that the item was merged from.
function places.of_component(nodes, node, name, position, origin, field)
  local from
  from, position = source_of(nodes, node, position, origin, field)
  return site_of(nodes, from.node, from.layer) .. "." .. text_of(from.key) .. (name and "." .. name or "")
    .. (position > 0 and "[" .. position .. "]" or ""), document_of(nodes, from.node, from.layer)
end

--- Returns the field that a message about a component names, or nil, and whether the message begins with the field.
function places.field_in(message)
  local field = match(message, "^([%a_][%w_]*): ")
  return field or match(message, "^unknown field '([%a_][%w_]*)'"), field ~= nil
end

--- Raises an error at a component. If the message begins with a field's name, the field becomes part of the place.
function places.fail_component(nodes, node, name, position, origin, message)
  local field, leads = places.field_in(message)
  local place, document = places.of_component(nodes, node, name, position, origin, field)
  failure.raise("%s%s%s%s", way_to(nodes, document), place, leads and "." or ": ", message)
end

-- Order ------------------------------------------------------------------------------------------------------------

-- The position of a value below a layer of a node in its file. Missing keys are skipped.
local function position_of(nodes, node, number, keys)
  local layer = layer_of(nodes, node, number)
  local value, at = nodes.entries[node], nodes.starts[node]
  if layer and layer.position then
    value, at = layer.entry, nodes.positions[layer.entities][layer.position]
  end
  for _, key in ipairs(keys) do
    local known = nodes.positions[value]
    if not known or known[key] == nil then break end
    value, at = rawget(value, key), known[key]
  end
  return at
end

--- Returns the position of a value in source order: a list of numbers, the positions of the prefab keys that lead to
-- the file (the outermost first), and the position in the file. Needs `nodes.positions` (table -> key -> number),
-- `nodes.entries` and `nodes.starts` (by node), which exist only while errors are collected.
function places.order_of(nodes, node, number, ...)
  local inwards, document = { position_of(nodes, node, number, { ... }) }, document_of(nodes, node, number)
  while document.outer do
    document.named_at = document.named_at or position_of(nodes, document.node, document.named_in, { "prefab" })
    inwards[#inwards + 1] = document.named_at
    document = document.outer
  end
  local order = {}
  for place = #inwards, 1, -1 do order[#order + 1] = inwards[place] end
  return order
end

--- Returns the position of a component, or of one of its fields.
function places.order_of_component(nodes, node, name, position, origin, field)
  local from
  from, position = source_of(nodes, node, position, origin, field)
  local keys = type(from.key) == "table" and { "overrides", from.key[1], name } or { from.key, name }
  if position > 0 then keys[#keys + 1] = position end
  keys[#keys + 1] = field
  return places.order_of(nodes, from.node, from.layer, unpack(keys))
end

return places
