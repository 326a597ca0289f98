--- LDtk importer: converts an LDtk project (1.x) to level source, `cuttle.import.ldtk(text_or_path [, options])`.
-- Does not depend on worlds, managers and the binary format: the result is a plain Lua table for the compiler.
--
-- **Result.** One root entity for each level (name: its identifier, id: its iid, transform: its position in the LDtk
-- world), with one child for each layer (name, iid, the layer's total pixel offset), whose children are the int grid
-- cells, tiles and entity instances. Units are pixels, y points down as in the editor and in LÖVE, z is 0. All parts
-- keep the order of the document: the first layer is the top-most one, tiles are ordered back to front. The position of
-- an entity is its pivot (`px`); the mapping receives its size, which never becomes a scale. In linear world layouts,
-- where LDtk writes -1, levels follow each other without gaps in file order, and levels that are not imported keep
-- their space. If a project has several worlds (the multi-worlds flag), each keeps its own coordinates. A `/` in a name
-- becomes `_`.
--
-- **Mappings and field values**: docs/editors/mappings.md lists what mappings receive and may return,
-- docs/editors/ldtk.md the values of fields. `spec/lua/import/mappings_page_spec.lua` compares the lists with what
-- mappings receive.
--
-- **Leniency.** Parts that do not affect the result may be missing (older 1.x versions write less); a wrong type is
-- always an error. A layer of an unknown type is imported with its tiles, cells and entities.
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
local level_index = require "cuttle.import.level_index"
local levels = require "cuttle.import.ldtk_levels"
local outline = require "cuttle.import.ldtk_outline"
local pieces = require "cuttle.import.ldtk_pieces"
local compact_list = require "cuttle.import.compact_list"
local source = require "cuttle.import.source"
local tiles = require "cuttle.import.ldtk_tiles"
local unpack = require "cuttle.compat".unpack

local OPTIONS = {
  components = "table", fields = "string", depth = "boolean|number", tiles = "boolean|string", tile = "function",
  int_grid = "boolean|function", layer = "function", level = "function", levels = "table|function",
  worlds = "table|function", split = "boolean", directory = "string", name = "string", read = "function",
  limit = "number", json = "function", progress = "function", lazy = "boolean", max_elements = "number",
  max_cells = "number", root = "string", on_disk = "boolean",
}

-- Entities ---------------------------------------------------------------------------------------------------------

-- Records the place of an iid. Returns the iid.
local function record_iid(project, cursor, data)
  local iid = cursor:maybe(data, "iid", "string")
  if not iid then return nil end
  if project.places[iid] then
    project.duplicates[iid] = project.duplicates[iid] or { project.places[iid], cursor:place() }
  end
  project.places[iid] = project.places[iid] or cursor:place()
  return iid
end

-- First pass: records which entities an EntityRef may refer to, and which iids are not unique. LDtk 1.1 copied the iids
-- of layers when a level was duplicated.
local function record_iids(project, records)
  local is_named = false -- messages do not quote files that the project names
  for _, record in ipairs(records) do
    local cursor = record.cursor
    is_named = is_named or cursor.is_named
    record_iid(project, cursor, record.data)
    for _, layer in cursor:each(record.data, "layerInstances") do
      record_iid(project, cursor, layer)
      for _, entity in cursor:each(layer, "entityInstances") do
        local iid = record_iid(project, cursor, entity)
        if iid then project.imported[iid] = true end
      end
    end
  end
  local count, least = 0, nil
  for iid in each, project.duplicates do
    count = count + 1
    if not least or iid < least then least = iid end
  end
  if count > 0 then
    local shown = is_named and "one" or failure.show(least)
    project.leftovers:warn("%d %s, such as %s of %s and %s: these parts have no id", count,
      count == 1 and "iid is not unique" or "iids are not unique", shown,
      unpack(project.duplicates[least]))
  end
end

-- Returns the id for level source of a part with an iid: nil if the iid is not unique.
local function id_of(project, iid)
  return iid and not project.duplicates[iid] and iid or nil
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
    duplicates = project.duplicates, tilesets = project.tilesets })
  entity.references, entity.definition = references, project.description.entities[entity.identifier]
  local node = { name = entity.identifier, id = id_of(project, entity.iid) }
  local transform = { position = { entity.px[1], entity.px[2], 0 } }
  local mappings = project.options.components or {}
  local mapping, name = mappings[node.name] or mappings["*"], nil
  local entity_label = "entity " .. node.name:sub(1, 60)
  if mapping then
    local context = { file = cursor.file, place = cursor:place(), directory = project.directory,
      version = project.version, project = project.description }
    local returned, instance
    returned, name, instance = source.call(cursor, entity_label, mapping, values, entity, context)
    node.components = source.components(cursor, entity_label, transform, returned)
    source.make_instance(cursor, entity_label, node, instance)
  else
    node.components = project.leftovers:components(transform, values)
  end
  node.name = source.chosen_name(cursor, entity_label, node.name, name)
  cursor:count_entity()
  return node
end

-- Layers and levels ------------------------------------------------------------------------------------------------

local function positive(cursor, data, key, least)
  local number = cursor:need(data, key, "integer")
  if number < least then cursor:fail(key, "expected %d or more, got %s", least, failure.show(number)) end
  return number
end

-- The description of a layer for mappings of layers, tiles and cells.
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

-- Counts tiles and cells that no option imports. A mapping of layers receives the cells, so they are not counted then.
local function count_skipped(project, cursor, data, layer)
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
  if own then grids.merge(node.components, own) end
  for _, one in ipairs(below) do
    cursor:count_in(nil, "elements", 1)
    append({ name = one.name, components = { transform = { position = { 0, 0, 0 } }, grid = one.grid } })
  end
end

-- Returns the list for the children of a layer, and a function that appends to it.
local function children_of(project)
  if project.options.lazy then
    local append, list = compact_list.list()
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
  local label, returned, name = "layer " .. node.name:sub(1, 60), nil, nil
  local transform = { position = { layer.x, layer.y, 0 } }
  if options.layer then returned, name = source.call(cursor, label, options.layer, layer) end
  node.components = source.components(cursor, label, transform, returned)
  node.name = source.chosen_name(cursor, label, node.name, name)
  if options.tiles == "grid" then append_grids(project, cursor, data, layer, node, append) end
  count_skipped(project, cursor, data, layer)
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
  local label, name = "level " .. node.name:sub(1, 60), nil
  cursor:count_in(nil, "elements", 1)
  level.project = project.description
  level.fields, level.references = fields.read(cursor, data, { grid_size = project.grid_size,
    imported = project.imported, duplicates = project.duplicates, tilesets = project.tilesets })
  local mapping = project.options.level
  local transform = { position = record.position }
  if mapping then
    local returned
    returned, name = source.call(cursor, label, mapping, level.fields, level)
    node.components = source.components(cursor, label, transform, returned)
  else
    node.components = project.leftovers:components(transform, level.fields)
  end
  node.name = source.chosen_name(cursor, label, node.name, name)
  for index, layer in cursor:each(data, "layerInstances") do
    children[index] = build_layer(project, cursor, layer, level, index)
  end
  if #children == 0 then node.children = nil end
  return node
end

-- Project ----------------------------------------------------------------------------------------------------------

-- Warns if levels at different depths overlap, as the floors of a building do.
local function warn_of_depths(project, records)
  if project.options.depth ~= nil then return end
  local entries = {}
  for index, record in ipairs(records) do entries[index] = record.entry end
  local count, first, second = level_index.overlapping(entries)
  if count == 0 then return end
  project.leftovers:warn("levels %s and %s overlap at depths %d and %d%s: option depth converts the depth to z",
    failure.show(first.name), failure.show(second.name), first.depth, second.depth, leftovers.more(count))
end

-- Decodes a project and selects levels. Returns the document, the records of the levels, and the index.
local function choose(project, text, decode)
  local cursor = project.cursor
  local data = decode(cursor, text)
  if type(data) ~= "table" then
    cursor:fail(nil, "not an LDtk project (expected an object, got %s)", json.type_name(data))
  end
  project.version = levels.version(cursor, data)
  return data, levels.choose(project, data)
end

-- Does the same for a selection of levels. Decodes the layers of the selected levels only. Returns nil if that is
-- impossible.
local function choose_some(project, text)
  local load
  local function decode_outline(whole, decode)
    local document
    document, load = outline.decode(whole, decode)
    return document or pieces.decode(whole, decode)
  end
  local data, records, entries = choose(project, text, documents.decoder(project.options, decode_outline))
  for _, record in ipairs(load and records or {}) do
    if not load(record.data) then return nil end
  end
  return data, records, entries
end

-- Makes the level source of some levels.
local function source_of(project, records)
  local entities = {}
  project.imported, project.places, project.duplicates = {}, {}, {}
  record_iids(project, records)
  for place, record in ipairs(records) do entities[place] = build_level(project, record) end
  return { version = 1, entities = entities }
end

-- Makes a level source for each level. Returns them by name.
local function split(project, records)
  local sources = {}
  for _, record in ipairs(records) do
    local name = record.level.identifier
    level_index.check_name(record.cursor, "identifier", sources, name)
    sources[name] = source_of(project, { record })
  end
  return sources
end

local function build(text_or_path, options)
  local file = source.open(text_or_path, options, "LDtk text")
  local project = { options = options, cursor = source.cursor(file.name, source.tally(options)),
    directory = file.directory, decode = documents.decoder(options, pieces.decode),
    step = tonumber(options.depth) or options.depth and 1 or 0, leftovers = leftovers.new(file.name, options),
    tile_resources = {} }
  local cursor = project.cursor
  local data, records, entries
  if options.levels or options.worlds then data, records, entries = choose_some(project, file.text) end
  if not data then data, records, entries = choose(project, file.text, project.decode) end
  project.grid_size = cursor:maybe(data, "defaultGridSize", "coordinate", 16)
  project.description, project.layers = definitions.read(cursor, data)
  project.tilesets = project.description.tilesets
  levels.load(project, records)
  warn_of_depths(project, records)
  local result = (options.split and split or source_of)(project, records)
  return result, project.leftovers:list(), project.tile_resources, entries
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
--   identifier; `["*"]` is used for all others.
-- - `fields = "props"`: keeps the custom fields of entities and levels without a mapping in the `value` field `value`
--   of a component of this name: `world:define("props", {{"value", "value"}})`.
-- - `depth = true`: the z of a level is its depth; a number: its depth multiplied by this number.
-- - `tiles = true`: each tile becomes an entity at the position where the editor draws it: at the upper left corner of
--   its cell, or according to the layer's tile pivot. A flipped tile has a scale of -1 and is positioned at the
--   opposite edge of the cell. Tiles have no id, and no name unless `tile` returns one.
-- - `tiles = "grid"`: tile layers, auto layers and int grids become `grid` components of their entities. Cells hold
--   tile ids + 1 and flips, or the values of an int grid; 0 is empty. A layer with both gets its int grid, and a child
--   "tiles" with the other grid. Of several tiles in a cell, the rearmost is in this grid; the others are in the grids
--   of further children "tiles 2", "tiles 3" and so on, one for each depth. Fields of a `grid` that the layer's mapping
--   returns override that of its entity. The option `int_grid`, if given, applies to int grids instead. Cells are on
--   the layer's grid, regardless of its tile pivot.
-- - `tile = function(tile, layer)`: returns the components of a tile, or `false` to leave it out. Implies `tiles =
--   true` unless `tiles` is given; not called for grids.
-- - `int_grid = true`: each cell that is not 0 becomes an entity at its upper left corner, without id and name; or
--   `int_grid = function(value, cell)`, which returns its components, or `false` to leave it out.
-- - `layer = function(layer)`: returns the components of a layer.
-- - `level = function(fields, level)`: returns the components of a level.
-- - `levels`: {"Entrance", ...}, identifiers or iids, or function(level) -> boolean (called before fields are read).
--   The layers of other levels are not decoded. `worlds` is the same for the worlds of a project.
-- - `split = true`: the first result is a table of level sources by the names of levels, each with one level.
-- - `directory`: the folder of separate level files; by default that of the path. `name`: the name of the document in
--   messages. `read = function(path)` -> text, or nil and a message: replaces `io.open`.
-- - `limit = 2^28`: the largest accepted size of a file in bytes.
-- - `root`: the folder that must contain all files which the document names, with links resolved; by default
--   `directory`, or the folder of the path. With `read` only the paths are compared.
-- - `max_elements = 1e6`, `max_cells = 1e7`: the largest number of elements and cells of the document with all files
--   that it names. See `cuttle.import.cursor`.
-- - `json = function(text)` -> value: the decoder, as for `cuttle.compiler`.
--
-- @tparam string text_or_path a document (its first character after blanks is `{` or `[`), or its path
-- @tparam[opt] table options
-- @treturn[1] table level source, for `compiler:compile`; with `split`, one for each level by name
-- @treturn[1] table warnings, strings about parts that were left out; empty if there are none
-- @treturn[1] table tile descriptions for `grid:define_resource`, by the name that grids have as `tiles`; empty without
-- grids. By identifier of a tileset: {[id + 1] = {id=, tileset=, image=, src= {x=, y=, width=, height=}, width=,
-- height=, tags=, data=, solid= (true if a tag or the data is "solid", ignoring case)}}; by identifier of an int grid
-- layer (followed by " int grid" if a tileset has that name): {[value] = {identifier=, color=, group=, solid= (true if
-- the identifier is "solid")}}
-- @treturn[1] table the index of all levels: {{name=, x=, y=, w=, h=, depth=, neighbours={names}, world=}}
-- @treturn[2] nil
-- @treturn[2] string the error message with file and place
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
