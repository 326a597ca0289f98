--- Turns an LDtk project (1.x) into level source: `cuttle.import.ldtk(text_or_path [, options])`.
-- Knows nothing of worlds, managers and the binary format: what comes out is a plain Lua table for the compiler.
--
-- **What comes out.** One root entity per level (name: its identifier, id: its iid, transform: its place in the LDtk
-- world), beneath it one per layer (name, iid, the layer's total pixel offset), beneath those the int grid cells, tiles
-- and entity instances. Units are pixels, y points down as in the editor and in LÖVE, z is 0. All parts keep the
-- document's order: the first layer is the top-most one, tiles go back to front. An entity stands at its pivot (`px`);
-- its size is told to the mapping and never becomes a scale. In linear world layouts, where LDtk writes -1, levels
-- follow one another without a gap in the order of the file; levels that are not imported keep their room. Several
-- worlds (the multi-worlds flag) each keep their own coordinates. A `/` in a name becomes `_`.
--
-- **Mappings** return nil (only transform and name), or a table of components, in the form of level source, laid over
-- what the editor gives; a `transform` in it is merged field by field. A second result, a string, is the entity's name.
-- What they raise, and results of another type, give `nil, message` with the place.
--
-- **Field values** by type: Int, Float, Bool, String, Multilines, FilePath, Enum (local and external: its value's
-- name) as they are; Color {r, g, b, 1} of 0 to 1; Point {cx=, cy=, x=, y=}, the cell and the pixel of its upper left
-- corner in the layer; Tile {x=, y=, width=, height=, tileset_uid=, tileset=, path=}; EntityRef the iid of its target,
-- which is an id of the level source and so may be given to an `entity` field as it is; arrays are Lua arrays. Null is
-- nil; so is a reference to an entity that was not imported. In arrays both are left out and the rest moves up
-- (`entity.references` has every reference, whole). A type that is not known here comes as it was decoded.
--
-- **Leniency.** What does not touch the result may be missing (older 1.x versions write less); a wrong type is always
-- an error. A layer of an unknown type comes like any other, with the tiles, cells and entities it has.
-- @module cuttle.import.ldtk

local documents = require "cuttle.import.document"
local failure = require "cuttle.failure"
local fields = require "cuttle.import.ldtk_fields"
local json = require "cuttle.json"
local source = require "cuttle.import.source"
local tiles = require "cuttle.import.ldtk_tiles"

local OPTIONS = {
  components = "table", tiles = "boolean", tile = "function", int_grid = "boolean|function", layer = "function",
  level = "function", levels = "table|function", worlds = "table|function", directory = "string", name = "string",
  read = "function", json = "function", progress = "function",
}

-- Which levels -----------------------------------------------------------------------------------------------------

local function check_version(cursor, document)
  if document.levels == nil and document.layerInstances ~= nil then
    cursor:fail(nil, "a separate level file of LDtk: import the project (.ldtk) it belongs to")
  elseif json.is_null(document.jsonVersion) then
    cursor:fail(nil, "not an LDtk project (it has no jsonVersion)")
  end
  local version = cursor:need(document, "jsonVersion", "string")
  local major = tonumber(version:match("^(%d+)%.%d"))
  if not major then
    cursor:fail("jsonVersion", "expected a version such as \"1.5.3\", got %s", failure.show(version))
  end
  if major > 1 then
    cursor:fail("jsonVersion", "LDtk %s is newer than this importer knows (1.x); save it in LDtk 1.x", version)
  elseif major < 1 then
    cursor:fail("jsonVersion", "LDtk %s is older than this importer knows (1.x): open and save it in LDtk 1.x", version)
  end
  return version
end

-- A set of names as function(description) -> boolean; `missed` tells the names that nothing had.
local function selection(cursor, what, wanted)
  if wanted == nil then return function() return true end, function() end end
  if type(wanted) == "function" then
    return function(item) return (source.call(cursor, "option " .. what .. "s", wanted, item)) end, function() end
  end
  local met, names, offered = {}, {}, {}
  for _, name in ipairs(wanted) do names[name] = true end
  local function take(item)
    offered[#offered + 1] = item.identifier
    for _, name in ipairs({ item.identifier, item.iid }) do
      if names[name] then
        met[name] = true
        return true
      end
    end
    return false
  end
  return take, function()
    for _, name in ipairs(wanted) do
      if not met[name] then cursor:fail(nil, "no %s is named %q%s", what, name, failure.hint(name, offered)) end
    end
  end
end

-- The background image of a level, nil if it has none.
local function background(cursor, data)
  local path, place = cursor:maybe(data, "bgRelPath", "string"), cursor:maybe(data, "__bgPos", "object")
  if not path then return nil end
  local image = { path = path, x = 0, y = 0, scale_x = 1, scale_y = 1 }
  if place then
    cursor:enter("__bgPos")
    local corner, scale = cursor:numbers(place, "topLeftPx", 2), cursor:numbers(place, "scale", 2)
    local crop = cursor:numbers(place, "cropRect", 4)
    image.x, image.y, image.scale_x, image.scale_y = corner[1], corner[2], scale[1], scale[2]
    image.crop = { x = crop[1], y = crop[2], width = crop[3], height = crop[4] }
    cursor:leave()
  end
  return image
end

local function neighbours(cursor, data)
  local list = {}
  for index, item in cursor:each(data, "__neighbours") do
    list[index] = { iid = cursor:maybe(item, "levelIid", "string"), direction = cursor:maybe(item, "dir", "string") }
  end
  return list
end

-- What `level` mappings and the option `levels` see. `pen` is where the next level of a linear layout begins.
local function describe_level(cursor, data, world, index, pen)
  local level = { identifier = cursor:need(data, "identifier", "string"), iid = cursor:maybe(data, "iid", "string"),
    uid = cursor:maybe(data, "uid", "integer"), depth = cursor:maybe(data, "worldDepth", "integer", 0),
    color = fields.color(cursor, data, "__bgColor"), background = background(cursor, data),
    neighbours = neighbours(cursor, data), world = world.identifier, index = index }
  if world.layout == "LinearHorizontal" or world.layout == "LinearVertical" then
    level.width, level.height = cursor:need(data, "pxWid", "coordinate"), cursor:need(data, "pxHei", "coordinate")
    level.x, level.y = pen.x, pen.y
    if world.layout == "LinearHorizontal" then pen.x = pen.x + level.width else pen.y = pen.y + level.height end
  else
    level.width, level.height = cursor:maybe(data, "pxWid", "coordinate"), cursor:maybe(data, "pxHei", "coordinate")
    level.x, level.y = cursor:need(data, "worldX", "coordinate"), cursor:need(data, "worldY", "coordinate")
  end
  return level
end

-- Puts the content of a separate level file into the record, and the cursor there.
local function load_external(project, record)
  local relative = record.cursor:maybe(record.data, "externalRelPath", "string")
  if not relative or not json.is_null(record.data.layerInstances) then return end
  if not project.directory then
    record.cursor:fail("externalRelPath", "%s is a file of its own: tell option directory, or import by path",
      failure.show(relative))
  end
  local path = source.join(project.directory, relative)
  local text, trouble = source.read(path, project.options.read)
  if not text then record.cursor:fail("externalRelPath", "cannot read %s: %s", path, trouble) end
  local cursor = source.cursor(path, project.cursor.tally)
  local data = project.decode(cursor, text)
  if type(data) ~= "table" or json.is_null(data.layerInstances) then
    cursor:fail(nil, "not a separate level file of LDtk (it has no layerInstances)")
  end
  if json.is_null(data.fieldInstances) then data.fieldInstances = record.data.fieldInstances end
  record.cursor, record.data = cursor, data
end

-- The chosen levels of one world as records: data, cursor in it, description.
local function append_levels(project, holder, world, records, take)
  local cursor, pen = project.cursor, { x = 0, y = 0 }
  for index, data in cursor:each(holder, "levels") do
    local level = describe_level(cursor, data, world, index, pen)
    if take(level) then
      records[#records + 1] = { data = data, cursor = cursor:fork(), level = level,
        position = { level.x, level.y, 0 } }
    end
  end
end

local function chosen_levels(project, document)
  local cursor, options, records = project.cursor, project.options, {}
  local take, missed = selection(cursor, "level", options.levels)
  local take_world, missed_world = selection(cursor, "world", options.worlds)
  if #cursor:maybe(document, "worlds", "array", {}) > 0 then
    for index, data in cursor:each(document, "worlds") do
      local world = { identifier = cursor:need(data, "identifier", "string"), index = index,
        iid = cursor:maybe(data, "iid", "string"), layout = cursor:maybe(data, "worldLayout", "string") }
      if take_world(world) then append_levels(project, data, world, records, take) end
    end
  else
    cursor:need(document, "levels", "array")
    append_levels(project, document, { layout = cursor:maybe(document, "worldLayout", "string") }, records, take)
  end
  missed_world()
  missed()
  for _, record in ipairs(records) do load_external(project, record) end
  return records
end

-- Entities ---------------------------------------------------------------------------------------------------------

-- The iid of `data`; each may stand once among what is imported.
local function claim(project, cursor, data)
  local iid = cursor:maybe(data, "iid", "string")
  if iid and project.places[iid] then
    cursor:fail("iid", "%s is also the iid of %s", failure.show(iid), project.places[iid])
  elseif iid then
    project.places[iid] = cursor:place()
  end
  return iid
end

-- One pass before the rest: which entities an EntityRef can mean.
local function note_entities(project, records)
  for _, record in ipairs(records) do
    for _, layer in record.cursor:each(record.data, "layerInstances") do
      for _, entity in record.cursor:each(layer, "entityInstances") do
        local iid = record.cursor:maybe(entity, "iid", "string")
        if iid then project.imported[iid] = true end
      end
    end
  end
end

local function describe_entity(cursor, data, layer, project)
  local px, pivot, tags = cursor:numbers(data, "px", 2), { 0, 0 }, {}
  if not json.is_null(data.__pivot) then pivot = cursor:numbers(data, "__pivot", 2) end
  local grid = { math.floor(px[1] / layer.grid_size), math.floor(px[2] / layer.grid_size) }
  if not json.is_null(data.__grid) then grid = cursor:numbers(data, "__grid", 2) end
  local list = cursor:maybe(data, "__tags", "array", tags)
  cursor:enter("__tags")
  for index = 1, #list do tags[index] = cursor:need(list, index, "string") end
  cursor:leave()
  local level = layer.level
  return { identifier = cursor:need(data, "__identifier", "string"), iid = claim(project, cursor, data), px = px,
    world = { level.x + layer.x + px[1], level.y + layer.y + px[2] }, pivot = { pivot[1], pivot[2] },
    width = cursor:maybe(data, "width", "coordinate"), height = cursor:maybe(data, "height", "coordinate"), tags = tags,
    grid = { cx = grid[1], cy = grid[2] }, tile = fields.tile(cursor, data, "__tile", project.tilesets),
    color = fields.color(cursor, data, "__smartColor"), level = level, layer = layer }
end

local function build_entity(project, cursor, data, layer)
  local entity = describe_entity(cursor, data, layer, project)
  local values, references = fields.read(cursor, data, { grid_size = layer.grid_size, imported = project.imported,
    tilesets = project.tilesets })
  entity.references = references
  local node = { name = entity.identifier, id = entity.iid }
  local transform = { position = { entity.px[1], entity.px[2], 0 } }
  local mappings = project.options.components or {}
  local mapping, returned, name = mappings[node.name] or mappings["*"], nil, nil
  local what = "entity " .. node.name:sub(1, 60)
  if mapping then
    local context = { file = cursor.file, place = cursor:place(), directory = project.directory,
      version = project.version }
    returned, name = source.call(cursor, what, mapping, values, entity, context)
  end
  node.components = source.components(cursor, what, transform, returned)
  node.name = source.chosen_name(cursor, what, node.name, name)
  cursor:made()
  return node
end

-- Layers and levels ------------------------------------------------------------------------------------------------

local function positive(cursor, data, key, least)
  local number = cursor:need(data, key, "integer")
  if number < least then cursor:fail(key, "expected %d or more, got %s", least, failure.show(number)) end
  return number
end

-- What `layer` mappings, and those of tiles and cells, see.
local function describe_layer(project, cursor, data, level, index)
  local layer = { identifier = cursor:need(data, "__identifier", "string"), iid = claim(project, cursor, data),
    type = cursor:need(data, "__type", "string"), x = cursor:maybe(data, "__pxTotalOffsetX", "coordinate", 0),
    y = cursor:maybe(data, "__pxTotalOffsetY", "coordinate", 0), grid_size = positive(cursor, data, "__gridSize", 1),
    columns = positive(cursor, data, "__cWid", 0), rows = positive(cursor, data, "__cHei", 0),
    opacity = cursor:maybe(data, "__opacity", "number", 1), visible = cursor:maybe(data, "visible", "boolean", true),
    tileset = project.tilesets[cursor:maybe(data, "__tilesetDefUid", "integer", false)],
    tileset_path = cursor:maybe(data, "__tilesetRelPath", "string"), level = level, index = index }
  local definition = project.layers[cursor:maybe(data, "layerDefUid", "integer", false)] or { values = {} }
  layer.values, layer.parallax_x, layer.parallax_y = definition.values, definition.parallax_x, definition.parallax_y
  layer.int_grid = tiles.int_grid(cursor, data, layer)
  return layer
end

local function build_layer(project, cursor, data, level, index)
  local options, children = project.options, {}
  local layer = describe_layer(project, cursor, data, level, index)
  local node = { name = layer.identifier, id = layer.iid, children = children }
  local what, returned, name = "layer " .. node.name:sub(1, 60), nil, nil
  local transform = { position = { layer.x, layer.y, 0 } }
  if options.layer then returned, name = source.call(cursor, what, options.layer, layer) end
  node.components = source.components(cursor, what, transform, returned)
  node.name = source.chosen_name(cursor, what, node.name, name)
  if options.int_grid then
    tiles.append_cells(cursor, layer, children, options.int_grid ~= true and options.int_grid or nil)
  end
  if options.tiles then
    tiles.append_tiles(cursor, data, "gridTiles", layer, children, options.tile)
    tiles.append_tiles(cursor, data, "autoLayerTiles", layer, children, options.tile)
  end
  for _, entity in cursor:each(data, "entityInstances") do
    children[#children + 1] = build_entity(project, cursor, entity, layer)
  end
  if #children == 0 then node.children = nil end
  return node
end

local function build_level(project, record)
  local cursor, data, level, children = record.cursor, record.data, record.level, {}
  local node = { name = level.identifier, id = claim(project, cursor, data) or level.iid, children = children }
  local what, returned, name = "level " .. node.name:sub(1, 60), nil, nil
  level.fields, level.references = fields.read(cursor, data, { grid_size = project.grid_size,
    imported = project.imported, tilesets = project.tilesets })
  local mapping = project.options.level
  if mapping then returned, name = source.call(cursor, what, mapping, level.fields, level) end
  node.components = source.components(cursor, what, { position = record.position }, returned)
  node.name = source.chosen_name(cursor, what, node.name, name)
  for index, layer in cursor:each(data, "layerInstances") do
    children[index] = build_layer(project, cursor, layer, level, index)
  end
  if #children == 0 then node.children = nil end
  return node
end

-- The project ------------------------------------------------------------------------------------------------------

local function describe_definitions(project, document)
  local cursor = project.cursor
  local defs = cursor:maybe(document, "defs", "object", {})
  project.tilesets, project.layers = tiles.tilesets(cursor, defs), {}
  cursor:enter("defs")
  for _, data in cursor:each(defs, "layers") do
    project.layers[cursor:need(data, "uid", "integer")] = { values = tiles.values(cursor, data),
      parallax_x = cursor:maybe(data, "parallaxFactorX", "number", 0),
      parallax_y = cursor:maybe(data, "parallaxFactorY", "number", 0) }
  end
  cursor:leave()
end

local function build(text_or_path, options)
  local file = source.open(text_or_path, options, "LDtk text")
  local project = { options = options, cursor = source.cursor(file.name, source.tally(options)),
    directory = file.directory, decode = documents.decoder(options), imported = {}, places = {} }
  local cursor = project.cursor
  local data = project.decode(cursor, file.text)
  if type(data) ~= "table" then
    cursor:fail(nil, "not an LDtk project (expected an object, got %s)", json.type_name(data))
  end
  project.version = check_version(cursor, data)
  project.grid_size = cursor:maybe(data, "defaultGridSize", "coordinate", 16)
  describe_definitions(project, data)
  local records = chosen_levels(project, data)
  note_entities(project, records)
  local entities = {}
  for index, record in ipairs(records) do entities[index] = build_level(project, record) end
  return { version = 1, entities = entities }
end

--- Imports an LDtk project.
--
-- Options, all of them optional:
--
-- - `components`: {Player = function(fields, entity, context) return {health = {...}} end}, mappings by entity
--   identifier; `["*"]` serves those without one. `entity`: identifier, iid, px {x, y}, world {x, y}, pivot {x, y},
--   width, height, grid {cx=, cy=}, tags, tile (as a Tile field), color, references (by field: {entity=, layer=,
--   level=, world=, imported=}), level, layer. `context`: file, place, directory, version.
-- - `tiles = true`: every tile becomes an entity at its cell's upper left corner. A flipped one has a scale of -1 and
--   stands at the opposite edge, so that it covers the same cell. Tiles have no id, no name unless `tile` gives one.
-- - `tile = function(tile, layer)`: components of a tile, or `false` to leave it out. `tile`: t (tile id), src {x, y}
--   and px {x, y} in pixels, cx, cy, size, flip_x, flip_y, alpha, auto (made by rules), data and tags (of the tileset).
--   Giving it means `tiles = true`, unless that is false.
-- - `int_grid = true`: every cell that is not 0 becomes an entity at its upper left corner, without id and name; or
--   `int_grid = function(value, cell)` for its components, `false` to leave it out. `cell`: value, cx, cy, x, y, size,
--   identifier, color, group, layer.
-- - `layer = function(layer)`: components of a layer. `layer`: identifier, iid, type, x, y, grid_size, columns, rows,
--   opacity, visible, parallax_x, parallax_y, tileset (identifier, uid, path, tile_size, width, height, data, tags),
--   tileset_path, int_grid (all cells, row by row; nil without), values (by int grid value: identifier, color, group),
--   index (1 is top-most), level.
-- - `level = function(fields, level)`: components of a level. `level`: identifier, iid, uid, x, y, width, height,
--   depth, color, background (path, x, y, scale_x, scale_y, crop), neighbours ({iid=, direction=}), world, index,
--   fields, references.
-- - `levels`: {"Entrance", ...}, identifiers or iids, or function(level) -> boolean (fields are not read yet); `worlds`
--   the same for a project with several worlds.
-- - `directory`: where separate level files are looked for; by default that of the path. `name`: what messages call
--   the document. `read = function(path)` -> text, or nil and a message: opens files in place of `io.open`.
-- - `json = function(text)` -> value: the decoder, as for `cuttle.compiler`.
--
-- @tparam string text_or_path a document (its first non-blank is `{` or `[`) or the path of one
-- @tparam[opt] table options
-- @treturn[1] table level source, for `compiler:compile`
-- @treturn[2] nil
-- @treturn[2] string what is wrong, with file and place
-- @raise for a wrong argument or option
local function ldtk(text_or_path, options)
  source.check_text("ldtk", text_or_path)
  options = source.options("ldtk", 2, options, OPTIONS)
  source.check_mappings("ldtk", 2, "components", options.components)
  source.check_names("ldtk", 2, "levels", options.levels)
  source.check_names("ldtk", 2, "worlds", options.worlds)
  if options.tile and options.tiles == nil then options.tiles = true end
  return failure.guard(build, text_or_path, options)
end

return ldtk
