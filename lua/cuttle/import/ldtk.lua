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

local definitions = require "cuttle.import.ldtk_definitions"
local documents = require "cuttle.import.document"
local each = require "cuttle.each"
local failure = require "cuttle.failure"
local fields = require "cuttle.import.ldtk_fields"
local grids = require "cuttle.import.grids"
local json = require "cuttle.json"
local lazy = require "cuttle.compiler.lazy"
local ldtk_grids = require "cuttle.import.ldtk_grids"
local leftovers = require "cuttle.import.leftovers"
local levels = require "cuttle.import.ldtk_levels"
local pieces = require "cuttle.import.ldtk_pieces"
local places = require "cuttle.import.places"
local source = require "cuttle.import.source"
local tiles = require "cuttle.import.ldtk_tiles"
local unpack = require "cuttle.compat".unpack

local OPTIONS = {
  components = "table", fields = "string", depth = "boolean|number", tiles = "boolean|string", tile = "function",
  int_grid = "boolean|function", layer = "function", level = "function", levels = "table|function",
  worlds = "table|function", directory = "string", name = "string", read = "function", limit = "number",
  json = "function", progress = "function", lazy = "boolean", max_elements = "number", max_cells = "number",
  root = "string", on_disk = "boolean",
}

-- Entities ---------------------------------------------------------------------------------------------------------

-- Notes where the iid of `data` stands.
local function note(project, cursor, data)
  local iid = cursor:maybe(data, "iid", "string")
  if not iid then return nil end
  if project.places[iid] then
    project.doubled[iid] = project.doubled[iid] or { project.places[iid], cursor:place() }
  end
  project.places[iid] = project.places[iid] or cursor:place()
  return iid
end

-- One pass before the rest: which entities an EntityRef can mean, and which iids stand more than once. LDtk 1.1 copied
-- the iids of layers with a level.
local function note_iids(project, records)
  local is_named = false -- what is in a file that the project names is not quoted
  for _, record in ipairs(records) do
    local cursor = record.cursor
    is_named = is_named or cursor.is_named
    note(project, cursor, record.data)
    for _, layer in cursor:each(record.data, "layerInstances") do
      note(project, cursor, layer)
      for _, entity in cursor:each(layer, "entityInstances") do
        local iid = note(project, cursor, entity)
        if iid then project.imported[iid] = true end
      end
    end
  end
  local count, least = 0, nil
  for iid in each, project.doubled do
    count = count + 1
    if not least or iid < least then least = iid end
  end
  if count > 0 then
    local shown = is_named and "one" or failure.show(least)
    project.leftovers:warn("%d %s, such as %s of %s and %s: what has one comes without id", count,
      count == 1 and "iid stands more than once" or "iids stand more than once", shown,
      unpack(project.doubled[least]))
  end
end

-- The id that level source gives to what has an iid: none where the iid stands more than once.
local function id_of(project, iid)
  return iid and not project.doubled[iid] and iid or nil
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
  return { identifier = cursor:need(data, "__identifier", "string"), iid = cursor:maybe(data, "iid", "string"), px = px,
    world = { level.x + layer.x + px[1], level.y + layer.y + px[2] }, pivot = { pivot[1], pivot[2] },
    width = cursor:maybe(data, "width", "coordinate"), height = cursor:maybe(data, "height", "coordinate"), tags = tags,
    grid = { cx = grid[1], cy = grid[2] }, tile = fields.tile(cursor, data, "__tile", project.tilesets),
    color = fields.color(cursor, data, "__smartColor"), level = level, layer = layer }
end

local function build_entity(project, cursor, data, layer)
  local entity = describe_entity(cursor, data, layer, project)
  local values, references = fields.read(cursor, data, { grid_size = layer.grid_size, imported = project.imported,
    doubled = project.doubled, tilesets = project.tilesets })
  entity.references, entity.definition = references, project.description.entities[entity.identifier]
  local node = { name = entity.identifier, id = id_of(project, entity.iid) }
  local transform = { position = { entity.px[1], entity.px[2], 0 } }
  local mappings = project.options.components or {}
  local mapping, name = mappings[node.name] or mappings["*"], nil
  local what = "entity " .. node.name:sub(1, 60)
  if mapping then
    local context = { file = cursor.file, place = cursor:place(), directory = project.directory,
      version = project.version, project = project.description }
    local returned
    returned, name = source.call(cursor, what, mapping, values, entity, context)
    node.components = source.components(cursor, what, transform, returned)
  else
    node.components = project.leftovers:components(transform, values)
  end
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
  local layer = { identifier = cursor:need(data, "__identifier", "string"), iid = cursor:maybe(data, "iid", "string"),
    type = cursor:need(data, "__type", "string"), x = cursor:maybe(data, "__pxTotalOffsetX", "coordinate", 0),
    y = cursor:maybe(data, "__pxTotalOffsetY", "coordinate", 0), grid_size = positive(cursor, data, "__gridSize", 1),
    columns = positive(cursor, data, "__cWid", 0), rows = positive(cursor, data, "__cHei", 0),
    opacity = cursor:maybe(data, "__opacity", "number", 1), visible = cursor:maybe(data, "visible", "boolean", true),
    tileset = project.tilesets[cursor:maybe(data, "__tilesetDefUid", "integer", false)],
    tileset_path = cursor:maybe(data, "__tilesetRelPath", "string"), level = level, index = index }
  local definition = project.layers[cursor:maybe(data, "layerDefUid", "integer", false)]
    or { values = {}, tile_pivot_x = 0, tile_pivot_y = 0 }
  for key, value in each, definition do layer[key] = value end
  layer.int_grid = tiles.int_grid(cursor, data, layer)
  return layer
end

-- Counts the tiles and cells that nobody asked for; a mapping of layers was handed the cells.
local function count_unasked(project, cursor, data, layer)
  local options = project.options
  if options.tiles == nil then
    for _, key in ipairs({ "gridTiles", "autoLayerTiles" }) do
      project.leftovers:count("tiles", cursor:count(data, key))
    end
  end
  if options.int_grid == nil and not options.layer and options.tiles ~= "grid" then
    project.leftovers:count("cells", tiles.filled(layer))
  end
end

local function append_grids(project, cursor, data, layer, node, append)
  local own, below = ldtk_grids.read(project, cursor, data, layer)
  if own then grids.lay(node.components, own) end
  if below then append({ name = "tiles", components = { transform = { position = { 0, 0, 0 } }, grid = below } }) end
end

-- The children of a layer, and the function that appends to them.
local function children_of(project)
  if project.options.lazy then
    local append, list = places.list()
    return list, append
  end
  local list = {}
  return list, function(node) list[#list + 1] = node end
end

local function build_layer(project, cursor, data, level, index)
  local options, children, append = project.options, children_of(project)
  local layer = describe_layer(project, cursor, data, level, index)
  cursor:count_in(nil, "elements", 1)
  local node = { name = layer.identifier, id = id_of(project, layer.iid), children = children }
  local what, returned, name = "layer " .. node.name:sub(1, 60), nil, nil
  local transform = { position = { layer.x, layer.y, 0 } }
  if options.layer then returned, name = source.call(cursor, what, options.layer, layer) end
  node.components = source.components(cursor, what, transform, returned)
  node.name = source.chosen_name(cursor, what, node.name, name)
  if options.tiles == "grid" then append_grids(project, cursor, data, layer, node, append) end
  count_unasked(project, cursor, data, layer)
  if options.int_grid then
    tiles.append_cells(cursor, layer, append, options.int_grid ~= true and options.int_grid or nil)
  end
  if options.tiles == true then
    tiles.append_tiles(cursor, data, "gridTiles", layer, append, options.tile)
    tiles.append_tiles(cursor, data, "autoLayerTiles", layer, append, options.tile)
  end
  for _, entity in cursor:each(data, "entityInstances") do
    append(build_entity(project, cursor, entity, layer))
  end
  if lazy.length(children) == 0 then node.children = nil end
  return node
end

local function build_level(project, record)
  local cursor, data, level, children = record.cursor, record.data, record.level, {}
  local iid = cursor:maybe(data, "iid", "string", level.iid)
  local node = { name = level.identifier, id = id_of(project, iid), children = children }
  local what, name = "level " .. node.name:sub(1, 60), nil
  cursor:count_in(nil, "elements", 1)
  level.project = project.description
  level.fields, level.references = fields.read(cursor, data, { grid_size = project.grid_size,
    imported = project.imported, doubled = project.doubled, tilesets = project.tilesets })
  local mapping = project.options.level
  local transform = { position = record.position }
  if mapping then
    local returned
    returned, name = source.call(cursor, what, mapping, level.fields, level)
    node.components = source.components(cursor, what, transform, returned)
  else
    node.components = project.leftovers:components(transform, level.fields)
  end
  node.name = source.chosen_name(cursor, what, node.name, name)
  for index, layer in cursor:each(data, "layerInstances") do
    children[index] = build_layer(project, cursor, layer, level, index)
  end
  if #children == 0 then node.children = nil end
  return node
end

-- The project ------------------------------------------------------------------------------------------------------

-- Levels at different depths may lie over one another, as floors of a house do.
local function warn_of_depths(project, records)
  if project.options.depth ~= nil then return end
  local count, first, second = levels.stacked(records)
  if count == 0 then return end
  project.leftovers:warn("levels %s and %s overlap at depths %d and %d%s: option depth makes z of it",
    failure.show(first.identifier), failure.show(second.identifier), first.depth, second.depth,
    leftovers.more(count))
end

local function build(text_or_path, options)
  local file = source.open(text_or_path, options, "LDtk text")
  local project = { options = options, cursor = source.cursor(file.name, source.tally(options)),
    directory = file.directory, decode = documents.decoder(options, pieces.decode), imported = {}, places = {},
    doubled = {}, step = tonumber(options.depth) or options.depth and 1 or 0,
    leftovers = leftovers.new(file.name, options), meanings = {} }
  local cursor = project.cursor
  local data = project.decode(cursor, file.text)
  if type(data) ~= "table" then
    cursor:fail(nil, "not an LDtk project (expected an object, got %s)", json.type_name(data))
  end
  project.version = levels.version(cursor, data)
  project.grid_size = cursor:maybe(data, "defaultGridSize", "coordinate", 16)
  project.description, project.layers = definitions.read(cursor, data)
  project.tilesets = project.description.tilesets
  local records = levels.choose(project, data)
  note_iids(project, records)
  warn_of_depths(project, records)
  local entities = {}
  for index, record in ipairs(records) do entities[index] = build_level(project, record) end
  return { version = 1, entities = entities }, project.leftovers:list(), project.meanings
end

local function check_depth(depth)
  if type(depth) == "number" and not (depth > -2 ^ 31 and depth < 2 ^ 31) then
    source.bad_argument("ldtk", 2, "option \"depth\": expected a number within 2^31, got %s", tostring(depth))
  end
end

--- Imports an LDtk project.
--
-- Options, all of them optional:
--
-- - `components`: {Player = function(fields, entity, context) return {health = {...}} end}, mappings by entity
--   identifier; `["*"]` serves those without one. `entity`: identifier, iid, px {x, y}, world {x, y}, pivot {x, y},
--   width, height, grid {cx=, cy=}, tags, tile (as a Tile field), color, references (by field: {entity=, layer=,
--   level=, world=, imported=}), definition, level, layer. `context`: file, place, directory, version, project.
--   `definition`: identifier, uid, width, height, pivot {x, y}, color, tags, tile, doc, render_mode, tile_render_mode,
--   nine_slice {up=, right=, down=, left=}, fields (by name: {type=, doc=}). `project`: entities (definitions, by
--   identifier), enums (by identifier: uid, path, tags, values {{id=, color=, tile=}}), tilesets (by uid), contents
--   (the table of contents, by identifier of an entity: {{entity=, layer=, level=, world= (iids), x=, y=, width=,
--   height=}}).
-- - `fields = "props"`: the custom fields of entities and levels without a mapping are kept, in the `value` field
--   `value` of a component of that name: `world:define("props", {{"value", "value"}})`.
-- - `depth = true`: the depth of a level is its z; a number: so much for each step of depth.
-- - `tiles = true`: every tile becomes an entity where the editor draws it: at its cell's upper left corner, or by the
--   layer's tile pivot. A flipped one has a scale of -1 and stands at the opposite edge of the cell. Tiles have no id,
--   no name unless `tile` gives one.
-- - `tiles = "grid"`: tile layers, auto layers and int grids become `grid` components of their entities. Cells hold
--   tile ids + 1, or an int grid's values; 0 is empty. A layer with both has its int grid, and a child "tiles" with the
--   other. What a layer's mapping gives as `grid` is laid over it, field by field. With `int_grid`, that says what
--   becomes of int grids. Cells lie on the layer's grid, whatever its tile pivot.
-- - `tile = function(tile, layer)`: components of a tile, or `false` to leave it out. `tile`: t (tile id), src {x, y}
--   and px {x, y} in pixels, cx, cy, size, flip_x, flip_y, alpha, auto (made by rules), data and tags (of the tileset).
--   Giving it means `tiles = true`, unless that is told; it is not called for grids.
-- - `int_grid = true`: every cell that is not 0 becomes an entity at its upper left corner, without id and name; or
--   `int_grid = function(value, cell)` for its components, `false` to leave it out. `cell`: value, cx, cy, x, y, size,
--   identifier, color, group, layer.
-- - `layer = function(layer)`: components of a layer. `layer`: identifier, iid, type, x, y, grid_size, columns, rows,
--   opacity, visible, parallax_x, parallax_y, tile_pivot_x, tile_pivot_y, tileset (identifier, uid, path, tile_size,
--   width, height, data, tags),
--   tileset_path, int_grid (all cells, row by row; nil without), values (by int grid value: identifier, color, group),
--   index (1 is top-most), level.
-- - `level = function(fields, level)`: components of a level. `level`: identifier, iid, uid, x, y, width, height,
--   depth, color, background (path, x, y, scale_x, scale_y, crop), neighbours ({iid=, direction=}), world, index,
--   fields, references, project (as above).
-- - `levels`: {"Entrance", ...}, identifiers or iids, or function(level) -> boolean (fields are not read yet); `worlds`
--   the same for a project with several worlds.
-- - `directory`: where separate level files are looked for; by default that of the path. `name`: what messages call
--   the document. `read = function(path)` -> text, or nil and a message: opens files in place of `io.open`.
-- - `limit = 2^28`: bytes that a file may have at most.
-- - `root`: a folder that the files which the document names may not leave, with links resolved; by default
--   `directory`, or the folder of the path. With `read` only the names are compared.
-- - `max_elements = 1e6`, `max_cells = 1e7`: how many elements and cells the document may have, with all files that it
--   names. See `cuttle.import.cursor`.
-- - `json = function(text)` -> value: the decoder, as for `cuttle.compiler`.
--
-- @tparam string text_or_path a document (its first non-blank is `{` or `[`) or the path of one
-- @tparam[opt] table options
-- @treturn[1] table level source, for `compiler:compile`
-- @treturn[1] table warnings, strings: what was there and did not come; empty if there are none
-- @treturn[1] table what the numbers in grids mean, by the name that these have as `tiles`, for `grid:define_resource`;
-- empty without grids. By identifier of a tileset: {[id + 1] = {id=, tileset=, image=, src= {x=, y=, width=, height=},
-- width=, height=, tags=, data=, solid= (true if a tag or the data is "solid", in capitals or not)}}; of an int grid
-- layer (with " int grid" behind it, where a tileset has that name): {[value] = {identifier=, color=, group=, solid=
-- (true if it is called so)}}
-- @treturn[2] nil
-- @treturn[2] string what is wrong, with file and place
-- @raise for a wrong argument or option
local function ldtk(text_or_path, options)
  source.check_text("ldtk", text_or_path)
  options = source.options("ldtk", 2, options, OPTIONS)
  source.check_mappings("ldtk", 2, "components", options.components)
  leftovers.check_option("ldtk", 2, options.fields)
  source.check_bounds("ldtk", 2, options)
  check_depth(options.depth)
  source.check_names("ldtk", 2, "levels", options.levels)
  source.check_names("ldtk", 2, "worlds", options.worlds)
  grids.check_option("ldtk", 2, options.tiles)
  if options.tile and options.tiles == nil then options.tiles = true end
  return failure.guard(build, text_or_path, options)
end

return ldtk
