--- Conversion of the objects of a Tiled layer, with their templates, to entities of level source.
-- Does not depend on other layers, nor on tile layers.
-- @module cuttle.import.tiled_objects

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local fields = require "cuttle.import.tiled_fields"
local files = require "cuttle.import.tiled_files"
local geometry = require "cuttle.import.tiled_geometry"
local json = require "cuttle.json"
local shapes = require "cuttle.import.tiled_shapes"
local source = require "cuttle.import.source"
local tilesets = require "cuttle.import.tiled_tilesets"

local is_null = json.is_null

local objects = {}

-- Templates --------------------------------------------------------------------------------------------------------

local function read_gid(cursor, data)
  local gid = cursor:need(data, "gid", "integer")
  if gid < 0 or gid >= 2 ^ 32 then cursor:fail("gid", "expected 0 to 2^32 - 1, got %s", failure.show(gid)) end
  return geometry.split(gid)
end

-- Returns the tile of a template. Its id counts from the first id of the template's own tileset.
local function template_tile(import, file, object)
  local cursor = file.cursor
  local holder = cursor:need(file.document, "tileset", "object")
  cursor:enter("tileset")
  local first = tilesets.whole(cursor, holder, "firstgid", 1)
  local tileset = tilesets.read(import, cursor, holder, file.directory)
  cursor:leave()
  cursor:enter("object")
  local gid, flags = read_gid(cursor, object)
  local tile = gid >= first and tilesets.tile(tileset, gid - first)
  if not tile then
    cursor:fail("gid", "tileset %s has no tile %.14g", failure.show(tileset.name), gid - first)
  end
  cursor:leave()
  return tile, flags
end

-- Returns the template of an object: data (its object), cursor at it, directory, path, tile, flags.
local function read_template(import, cursor, data)
  local file = files.open(import, cursor, data, "template", import.directory)
  if file.template then return file.template end
  local object = file.cursor:need(file.document, "object", "object")
  local template = { data = object, directory = file.directory, path = file.path }
  if shapes.is_tile(object) then template.tile, template.flags = template_tile(import, file, object) end
  file.cursor:enter("object")
  template.cursor = file.cursor:fork()
  file.cursor:leave()
  if not is_null(object.template) then template.cursor:fail("template", "a template cannot have a template") end
  -- Checks the template here, so that its errors have its own place, and not that of an object that uses it.
  local placed = setmetatable({ x = 0, y = 0 }, { __index = object })
  shapes.read(template.cursor, placed)
  file.template = template
  return template
end

-- Merges the keys of an object with those of its template. A shape of the object replaces the template's shape.
local function merge(cursor, data, template)
  if not template then return data end
  local merged, shaped, count = {}, false, 0
  for key, value in each, template.data do merged[key], count = value, count + 1 end
  cursor:count_parts(count)
  for _, key in ipairs(shapes.KEYS) do shaped = shaped or not is_null(data[key]) end
  if shaped then
    for _, key in ipairs(shapes.KEYS) do merged[key] = nil end
  end
  for key, value in each, data do
    if not is_null(value) then merged[key] = value end
  end
  return merged
end

-- Descriptions -----------------------------------------------------------------------------------------------------

-- Returns the id of an object, nil if it is 0. An id must be unique among the imported objects.
local function claim(import, cursor, data, layer, index)
  local id = cursor:maybe(data, "id", "integer", 0)
  if id == 0 then return nil end
  local other = import.owners[id]
  if other then
    cursor:fail("id", "%.14g is also the id of objects[%d] in layer %s", id, other.index,
      failure.show(other.layer.name))
  end
  import.owners[id] = { layer = layer, index = index }
  return fields.id(import, id)
end

local function read_tile(import, cursor, data, template, object)
  if shapes.is_tile(data) then
    object.gid, object.flags = read_gid(cursor, data)
    object.tile = tilesets.find(import.ranges, import.tiles, cursor, "gid", object.gid)
  else
    object.tile, object.flags = template.tile, template.flags
    object.gid = tilesets.gid_of(import.ranges, object.tile)
  end
  if object.width == 0 then object.width = object.tile.width end
  if object.height == 0 then object.height = object.tile.height end
  object.flip_x, object.flip_y, object.flip_diagonal, object.rotate_120 = geometry.flags(object.flags)
end

-- Merges the defaults of the class, then the properties of the tile, of the template, and of the object.
local function read_fields(import, cursor, data, template, object)
  local set = fields.defaults(import, object.class, "object", object.tile and "tile")
  local origin = object.tile and import.origins[object.tile]
  if origin then fields.merge(import, origin.cursor, origin.data, set, origin.directory) end
  if template then fields.merge(import, template.cursor, template.data, set, template.directory) end
  fields.merge(import, cursor, data, set, import.directory)
  object.references = set.references
  return set.values
end

local function describe(import, cursor, data, layer, index)
  local template = not is_null(data.template) and read_template(import, cursor, data) or nil
  local merged = merge(cursor, data, template)
  local object = shapes.read(cursor, merged)
  object.id, object.name = claim(import, cursor, data, layer, index), cursor:maybe(merged, "name", "string", "")
  object.layer, object.template = layer, template and template.path
  if object.shape == "tile" then read_tile(import, cursor, data, template, object) end
  object.class = fields.class(cursor, merged, "type") or (object.tile and object.tile.class)
  return object, read_fields(import, cursor, data, template, object)
end

-- Positions --------------------------------------------------------------------------------------------------------

-- Sets the points of an object to its projected outline: isometric maps project objects in their plane.
local function project(object, projection)
  local zero_x, zero_y = projection(0, 0)
  local points = object.points or { { x = 0, y = 0 }, { x = object.width, y = 0 },
    { x = object.width, y = object.height }, { x = 0, y = object.height } }
  local projected = {}
  for index, point in ipairs(points) do
    local x, y = projection(point.x, point.y)
    projected[index] = { x = x - zero_x, y = y - zero_y }
  end
  object.points = projected
end

local function middle(points)
  local left, top, right, bottom = math.huge, math.huge, -math.huge, -math.huge
  for _, point in ipairs(points) do
    left, right = math.min(left, point.x), math.max(right, point.x)
    top, bottom = math.min(top, point.y), math.max(bottom, point.y)
  end
  return (left + right) / 2, (top + bottom) / 2
end

-- Returns the transform of an object, and adds px, world and center to its description.
local function place(import, object)
  local x, y = import.projection(object.x, object.y)
  local anchor_x, anchor_y, tile = 0, 0, nil
  local flat = object.shape ~= "tile" and object.shape ~= "text" and object.shape ~= "point"
  local orientation = import.map.orientation
  if flat and (orientation == "isometric" or orientation == "oblique") then project(object, import.projection) end
  if object.tile then
    anchor_x, anchor_y = tilesets.anchor(object.tile.tileset, import.map.orientation)
    tile = { width = object.width, height = object.height, flags = object.flags,
      hexagonal = import.map.orientation == "hexagonal" }
  end
  local centre_x, centre_y = (0.5 - anchor_x) * object.width, (0.5 - anchor_y) * object.height
  if object.points then centre_x, centre_y = middle(object.points) end
  if object.shape == "point" then centre_x, centre_y = 0, 0 end
  object.anchor = { anchor_x, anchor_y }
  local transform, center = geometry.object_transform(x, y, centre_x, centre_y, object.angle, tile)
  object.center = center
  object.px = { transform.position[1], transform.position[2] }
  object.world = { import.x + object.layer.total.x + object.px[1], import.y + object.layer.total.y + object.px[2] }
  object.flags = nil
  return transform
end

--- Builds the entity of an object. Returns it, and the object's y in the document.
-- @tparam table import
-- @tparam cursor cursor at `data`
-- @tparam table data the object
-- @tparam table layer the description of its layer
-- @tparam number index of the object in its layer, from 1
function objects.build(import, cursor, data, layer, index)
  local object, values = describe(import, cursor, data, layer, index)
  local transform = place(import, object)
  local mappings = import.options.components or {}
  local mapping = mappings[object.class or "*"] or mappings["*"]
  local components, name, instance
  local label = "object " .. (object.class or object.name):sub(1, 60)
  if mapping then
    local context = { file = cursor.file, place = cursor:place(), directory = import.directory,
      version = import.map.version, map = import.map }
    local returned
    returned, name, instance = source.call(cursor, label, mapping, values, object, context)
    components = source.components(cursor, label, transform, returned)
  else
    components = import.leftovers:components(transform, values)
  end
  cursor:count_entity()
  local node = { name = source.chosen_name(cursor, label, object.name, name), id = object.id,
    components = components }
  source.make_instance(cursor, label, node, instance)
  return node, object.y
end

return objects
