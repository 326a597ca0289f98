-- Program for `make editors`: writes the example levels for the pages about editors, and draws them from the spawned
-- entities.

local cuttle = require "cuttle"
local draw = require "examples.editors.draw"
local levels = require "examples.editors.levels"
local pixels = require "examples.editors.pixels"

local HERE, PICTURES = "examples/editors/", "docs/editors/"

local function tile_picture(layer)
  return function(tile) return { picture = { tile = tile.id or tile.t, layer = layer } } end
end

--- Returns all files that are written, by path.
local function files()
  local made = { [HERE .. "tiles.png"] = pixels.png(), [HERE .. "cave.tmj"] = levels.tiled(),
    [HERE .. "cave.ldtk"] = levels.ldtk(), [HERE .. "ruins.ldtk"] = levels.ruins(),
    [HERE .. "harbour.gltf"] = levels.gltf() }

  local cave = assert(cuttle.import.tiled(made[HERE .. "cave.tmj"], { tile = tile_picture(0), components = {
    ["*"] = function(_, object)
      local offset = { -object.anchor[1] * object.width, -object.anchor[2] * object.height }
      return { picture = { tile = object.tile.id, layer = 1, scale = object.width / pixels.SIZE, offset = offset } }
    end } }))
  made[PICTURES .. "tiled-cuttle.svg"] = draw.tiles(cave, 192, 128)

  local project = assert(cuttle.import.ldtk(made[HERE .. "cave.ldtk"], { tile = tile_picture(0), int_grid = false,
    components = { ["*"] = function(_, entity)
      return { picture = { tile = entity.tile.x / pixels.SIZE, layer = 1 } }
    end } }))
  made[PICTURES .. "ldtk-cuttle.svg"] = draw.tiles(project, 192, 128)

  local harbour = assert(cuttle.import.gltf(made[HERE .. "harbour.gltf"], { components = { ["*"] = function(fields)
    local width, depth = fields.footprint[1], fields.footprint[2]
    return { picture = { color = levels.COLORS[fields.class], width = width, depth = depth } }
  end } }))
  made[PICTURES .. "gltf-cuttle.svg"] = draw.footprints(harbour, 24, 16)
  return made
end

-- The spec loads this file as a module.
if not arg or not arg[0] or not arg[0]:find "examples/editors/main%.lua$" then return files end

for path, text in pairs(files()) do
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end
