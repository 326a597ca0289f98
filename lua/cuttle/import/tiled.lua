--- Turns a Tiled map (JSON, 1.2 and later 1.x) into level source: `cuttle.import.tiled(text_or_path [, options])`.
-- Knows nothing of worlds, managers and the binary format: what comes out is a plain Lua table for the compiler.
--
-- **What comes out.** One entity per layer (name, id "layer 3", transform: its offset), groups with their layers as
-- children at any depth; beneath object layers their objects (name, id: the editor's number), beneath tile layers the
-- tiles when asked. Units are pixels, y points down as in the editor and in LÖVE, z is 0. All parts keep the document's
-- order: back to front. Whether something is visible is told to the mapping, nothing is left out for it.
--
-- **Objects** stand where Tiled puts them: at their upper left corner, tile objects at what their tileset's object
-- alignment says (the lower left corner unless told, in isometric maps the bottom's middle), and are turned around
-- that point. Size is told to the mapping and never becomes a scale. A flipped tile object has a scale of -1 and stands
-- at the opposite edge, so that it covers the same box; `x` and `y` are those of the document.
--
-- **Tiles** have the transform that lays their image (0, 0 at its upper left, width, height) where Tiled draws it:
-- flipped ones have a scale of -1, those flipped along the diagonal an angle as well, and stand at another corner of
-- the same box. Tiles of another size than the cell's stand on its lower left corner; tile offset, render size and fill
-- mode of the tileset are taken in (not with objects: there the offset is for whoever draws).
--
-- **Orientations.** Orthogonal, isometric, staggered and hexagonal maps, as Tiled draws them. In isometric maps objects
-- too have the pixels they are drawn at, with `points` projected; `x`, `y`, `width`, `height` stay the document's.
--
-- **Mappings** return nil (only transform and name), or a table of components, in the form of level source, laid over
-- what the editor gives; a `transform` in it is merged field by field. A second result, a string, is the entity's name.
-- What they raise, and results of another type, give `nil, message` with the place.
--
-- **Property values** by type: string, int, float, bool as they are; color {r, g, b, a} of 0 to 1; file its path seen
-- from where the map is read; object the id of its target, which is an id of the level source and so may be given to an
-- `entity` field as it is, nil when that was not imported (`references` has it whole); class a table of its members;
-- enumerations as stored, a string or a number. With option `project`, classes have the defaults of all their members
-- (a map holds only what was changed), so do objects, tiles, layers and maps of a class, and enumerations of flags are
-- sets {fire = true}. An object has, over the defaults of its class, the properties of its tile, of its template, and
-- its own.
--
-- **Leniency.** What does not touch the result may be missing; a wrong type is always an error. Cells are read when
-- tiles are asked for.
-- @module cuttle.import.tiled

local documents = require "cuttle.import.document"
local failure = require "cuttle.failure"
local fields = require "cuttle.import.tiled_fields"
local geometry = require "cuttle.import.tiled_geometry"
local json = require "cuttle.json"
local leftovers = require "cuttle.import.leftovers"
local layers = require "cuttle.import.tiled_layers"
local source = require "cuttle.import.source"
local tilesets = require "cuttle.import.tiled_tilesets"
local types = require "cuttle.import.tiled_types"

local OPTIONS = {
  components = "table", fields = "string", tiles = "boolean", tile = "function", layer = "function", map = "function",
  layers = "table|function", project = "string", inflate = "function", directory = "string", name = "string",
  read = "function", json = "function", progress = "function",
}

-- What the document is ---------------------------------------------------------------------------------------------

local OTHERS = {
  tileset = "a tileset of Tiled: import the map that uses it",
  template = "an object template of Tiled: import the map that uses it",
  world = "a world of Tiled: import its maps one by one",
}

local function check_version(cursor, document)
  local version = document.version
  if json.is_null(version) then return nil end
  if type(version) ~= "number" then version = cursor:need(document, "version", "string") end
  version = tostring(version)
  local major, minor = version:match("^(%d+)%.?(%d*)")
  if not major then cursor:fail("version", "expected a version such as \"1.10\", got %s", failure.show(version)) end
  if tonumber(major) > 1 then
    cursor:fail("version", "Tiled %s is newer than this importer knows (1.x): export for version 1.10", version)
  elseif tonumber(major) < 1 or (tonumber(minor) or 0) < 2 then
    cursor:fail("version", "Tiled %s is older than this importer knows (1.2): open and save the map in Tiled 1.8 or "
      .. "later", version)
  end
  return version
end

local function check_kind(cursor, document)
  local kind = document.type
  if type(kind) == "string" and OTHERS[kind] then cursor:fail(nil, OTHERS[kind]) end
  local parts = not json.is_null(document.layers) and not json.is_null(document.tilewidth)
  if (not json.is_null(kind) and kind ~= "map") or not parts then
    cursor:fail(nil, "not a Tiled map (it has no layers or no tilewidth)")
  end
end

-- What mappings see of the map.
local function describe_map(import, cursor, document)
  local map = { version = check_version(cursor, document), class = fields.class(cursor, document),
    orientation = tilesets.one_of(cursor, document, "orientation", geometry.ORIENTATIONS, "orthogonal"),
    width = tilesets.whole(cursor, document, "width", 0), height = tilesets.whole(cursor, document, "height", 0),
    tile_width = tilesets.whole(cursor, document, "tilewidth", 1),
    tile_height = tilesets.whole(cursor, document, "tileheight", 1),
    infinite = cursor:maybe(document, "infinite", "boolean", false),
    render_order = cursor:maybe(document, "renderorder", "string", "right-down"),
    stagger_axis = tilesets.one_of(cursor, document, "staggeraxis", { x = true, y = true }, "y"),
    stagger_index = tilesets.one_of(cursor, document, "staggerindex", { odd = true, even = true }, "odd"),
    hex_side_length = tilesets.whole(cursor, document, "hexsidelength", 0, 0),
    background_color = fields.color(cursor, document, "backgroundcolor"),
    parallax_origin = { x = cursor:maybe(document, "parallaxoriginx", "coordinate", 0),
      y = cursor:maybe(document, "parallaxoriginy", "coordinate", 0) },
    directory = import.directory, tilesets = {} }
  if map.orientation ~= "hexagonal" then map.hex_side_length = 0 end
  return map
end

-- Building ---------------------------------------------------------------------------------------------------------

-- The entity of the map over those of its layers, when there is a mapping for it.
local function wrap(import, cursor, entities)
  local mapping, map = import.options.map, import.map
  if not mapping then
    import.leftovers:drop(map.fields)
    return entities
  end
  local what = "the map"
  local returned, name = source.call(cursor, what, mapping, map.fields, map)
  return { { name = source.chosen_name(cursor, what, nil, name), children = #entities > 0 and entities or nil,
    components = source.components(cursor, what, { position = { 0, 0, 0 } }, returned) } }
end

local function build(text_or_path, options)
  local file = source.open(text_or_path, options, "Tiled text")
  local cursor = source.cursor(file.name, source.tally(options))
  -- `imported` and `owners` by object id; `origins`: where tiles have their properties from; `tiles` by global id.
  local import = { options = options, cursor = cursor, directory = file.directory, decode = documents.decoder(options),
    files = {}, imported = {}, owners = {}, origins = {}, tiles = {}, handed = {},
    leftovers = leftovers.new(file.name, options) }
  if file.text:find("^\239?\187?\191?%s*<") then
    cursor:fail(nil, "this is XML, not JSON: save the map as .tmj in Tiled, or export it as JSON")
  end
  local data = import.decode(cursor, file.text)
  if type(data) ~= "table" then
    cursor:fail(nil, "not a Tiled map (expected an object, got %s)", json.type_name(data))
  end
  check_kind(cursor, data)
  local map = describe_map(import, cursor, data)
  import.map, import.projection = map, geometry.projection(map)
  import.types = types.read(import, options.project)
  local chosen = layers.choose(import, cursor, data)
  map.fields, map.references = fields.read(import, cursor, data, map.class, "map", import.directory)
  import.ranges = tilesets.read_all(import, cursor, data, import.directory)
  for index, range in ipairs(import.ranges) do
    map.tilesets[index] = { first_gid = range.first, tileset = range.tileset }
  end
  local entities = layers.build(import, cursor, data, chosen)
  return { version = 1, entities = wrap(import, cursor, entities) }, import.leftovers:list()
end

--- Imports a Tiled map: `.tmj`, `.json`. External tilesets and templates are read beside it, as JSON (`.tsj`, `.tj`).
--
-- Options, all of them optional:
--
-- - `components`: {Player = function(fields, object, context) return {health = {...}} end}, mappings by the class of an
--   object (or, if it has none, of its tile); `["*"]` serves those without one. `object`: id, name, class, shape
--   (rectangle, ellipse, capsule, point, polygon, polyline, text, tile), x, y, width, height, rotation (degrees), angle
--   (radians), px {x, y} (where it stands in its layer), world {x, y}, center {x=, y=} (of its box, in the layer),
--   anchor {x, y} (where in the box it stands, of 0 to 1), points ({x=, y=}, from where it stands), text, visible,
--   opacity, tile, gid (of the tile), flip_x, flip_y, flip_diagonal, rotate_120, template (path), references (by field:
--   {entity=, imported=}), layer. `text`: text, color, font, size, wrap, bold, italic, underline, strikeout, kerning,
--   align_x, align_y. `context`: file, place, directory, version, map.
-- - `fields = "props"`: the properties of objects, layers and tiles without a mapping are kept, in the `value` field
--   `value` of a component of that name: `world:define("props", {{"value", "value"}})`.
-- - `tiles = true`: every tile becomes an entity, without id, and without name unless `tile` gives one.
-- - `tile = function(tile, layer)`: components of a tile, or `false` to leave it out. `tile`: id (in its tileset), gid
--   (in the map, without flags), cx, cy, px {x, y}, flip_x, flip_y, flip_diagonal, rotate_120, width, height, image
--   (path), src {x=, y=, width=, height=} (in the image), class, fields, references, animation ({tile=, duration=} in
--   milliseconds), collision (shapes, as objects), probability, tileset. Giving it means `tiles = true`, unless that is
--   false. Tables of a tile are shared by all that are alike.
-- - `layer = function(layer)`: components of a layer. `layer`: name, id, class, type (tilelayer, objectgroup,
--   imagelayer, group), x, y (offset), opacity, visible, tint, parallax_x, parallax_y, fields, references, index (among
--   its siblings), parent (the group), total (x, y, opacity, visible, tint, parallax_x, parallax_y with those of the
--   groups around it), map; tile layers: columns, rows, and `cells()` -> {{x=, y=, width=, height=, gids=}, ...}, with
--   the flip flags, or nil and a message; object layers: draw_order, color; image layers: image (path), repeat_x,
--   repeat_y, transparent_color.
-- - `map = function(fields, map)`: gives the map an entity of its own, which has the layers as children. `map`: class,
--   references, orientation, width, height, tile_width, tile_height, infinite, render_order, stagger_axis,
--   stagger_index, hex_side_length, background_color, parallax_origin {x=, y=}, tilesets ({first_gid=, tileset=}),
--   version, directory. `tileset`: name, class, fields, path (of its file), image, image_width, image_height,
--   tile_width, tile_height, tile_count, columns, margin, spacing, offset_x, offset_y, object_alignment, render_size,
--   fill_mode, tiles (by id).
-- - `layers`: {"Things", ...}, names (a group with all that is in it), or function(layer) -> boolean (fields are not
--   read yet); false leaves out a group with all that is in it.
-- - `project`: text or path of the `.tiled-project`, for the defaults of classes.
-- - `inflate = function(bytes, kind, size)` -> bytes: unpacks "zlib", "gzip" or "zstd". Without it LÖVE's own, lua-zlib
--   or LibDeflate do, whichever is there; zstd needs it.
-- - `directory`: where other files are looked for; by default that of the path. `name`: what messages call the
--   document. `read = function(path)` -> text, or nil and a message: opens files in place of `io.open`.
-- - `json = function(text)` -> value: the decoder, as for `cuttle.compiler`.
--
-- @tparam string text_or_path a document (its first non-blank is `{` or `[`) or the path of one
-- @tparam[opt] table options
-- @treturn[1] table level source, for `compiler:compile`
-- @treturn[1] table warnings, strings: what was there and did not come; empty if there are none
-- @treturn[2] nil
-- @treturn[2] string what is wrong, with file and place
-- @raise for a wrong argument or option
local function tiled(text_or_path, options)
  source.check_text("tiled", text_or_path)
  options = source.options("tiled", 2, options, OPTIONS)
  source.check_mappings("tiled", 2, "components", options.components)
  leftovers.check_option("tiled", 2, options.fields)
  source.check_names("tiled", 2, "layers", options.layers)
  if options.tile and options.tiles == nil then options.tiles = true end
  return failure.guard(build, text_or_path, options)
end

return tiled
