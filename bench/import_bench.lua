-- Import and compilation of a Tiled map of 1,000 x 1,000 tiles, as a grid and with an entity for each tile. Each run is
-- a process of its own (bench/import_peak.lua), as in a build script. Bytes are the peak memory of the process.
-- And the import of an LDtk project of 21 levels (2 MB), all of them and one alone.

local commands = require "bench.commands"
local cuttle = require "cuttle"

local function write_map(path, side)
  local cells, random = {}, 1
  for index = 1, side * side do
    random = random * 16807 % 2147483647
    cells[index] = random % 200 + 1
  end
  local file = assert(io.open(path, "wb"))
  file:write(([[{"type":"map","version":"1.10","orientation":"orthogonal","width":%d,"height":%d,"tilewidth":16,
    "tileheight":16,"infinite":false,"tilesets":[{"firstgid":1,"name":"Ground","tilewidth":16,"tileheight":16,
    "tilecount":256,"columns":16,"image":"g.png","imagewidth":256,"imageheight":256}],"layers":[{"id":1,
    "name":"Ground","type":"tilelayer","width":%d,"height":%d,"data":[]]):format(side, side, side, side),
    table.concat(cells, ","), "]}]}")
  file:close()
end

-- The text of an LDtk project.
local function project(levels, side)
  local list, tiles, cells = {}, {}, {}
  for index = 0, side * side - 1 do
    local x, y = index % side * 16, math.floor(index / side) * 16
    tiles[index + 1] = ('{"px":[%d,%d],"src":[16,0],"f":%d,"t":1,"d":[%d],"a":1}'):format(x, y, index % 4, index)
    cells[index + 1] = index % 3
  end
  local layer = ('{"__identifier":"Walls","__type":"IntGrid","iid":"%%d","__cWid":%d,"__cHei":%d,"__gridSize":16,'
    .. '"intGridCsv":[%s],"autoLayerTiles":[%s]}')
    :format(side, side, table.concat(cells, ","), table.concat(tiles, ","))
  for index = 1, levels do
    list[index] = ('{"identifier":"L%d","iid":"level %d","worldX":%d,"worldY":0,"pxWid":%d,"pxHei":%d,'
      .. '"__neighbours":[],"fieldInstances":[],"layerInstances":[%s]}')
      :format(index, index, index * side * 16, side * 16, side * 16, layer:format(index))
  end
  return ('{"jsonVersion":"1.5.3","worldLayout":"GridVania","levels":[%s]}'):format(table.concat(list, ","))
end

local function import_levels(bench)
  local text = project(21, bench.size(40, 4))
  local function case(name, expected, chosen)
    bench.case { name = name, items = 1, expect = expected, run = function()
      return #assert(cuttle.import.ldtk(text, { levels = chosen, tiles = "grid" })).entities
    end }
  end
  case("import all levels of a project", 21, nil)
  case("import one level of a project", 1, { "L7" })
end

-- Returns the number of entities, and the peak memory of the process, or 0 if the system does not report it.
local function import(path, tiles)
  local line = commands.lines_of(("%s bench/import_peak.lua %s %s"):format(commands.interpreter(),
    commands.quoted(path), tiles))[1] or ""
  local entities, peak = line:match "^(%d+) (%d+)$"
  return tonumber(entities), tonumber(peak)
end

return function(bench)
  import_levels(bench)
  local side = bench.size(1000, 50)
  local path = os.tmpname()
  write_map(path, side)
  for _, tiles in ipairs { "grid", "entities" } do
    local peak
    bench.case { name = "import and compile, tiles as " .. tiles, items = side * side,
      expect = tiles == "grid" and 1 or 1 + side * side,
      bytes = function() return peak end,
      run = function()
        local count
        count, peak = import(path, tiles)
        return count
      end }
    bench.note(("tiles as %s: peak memory of the process %.0f MB"):format(tiles, peak / 1e6))
  end
  os.remove(path)
end
