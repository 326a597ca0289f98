-- Maps that the real Tiled exports, if it is installed.

-- tags: unix

local lfs = require "lfs"
local tiled = require "cuttle.import.tiled"

local folder

local function write(name, text)
  local file = assert(io.open(folder .. name, "wb"))
  file:write(text)
  file:close()
  return folder .. name
end

local function make_folder()
  folder = os.tmpname()
  os.remove(folder)
  assert(lfs.mkdir(folder))
  folder = folder .. "/"
end

local function remove_folder()
  for name in lfs.dir(folder) do
    if name ~= "." and name ~= ".." then os.remove(folder .. name) end
  end
  lfs.rmdir(folder)
end

-- Runs Tiled in the folder. Sanitizers of this process must not be loaded into it.
local function run(arguments)
  return os.execute("cd '" .. folder .. "' && env -u LD_PRELOAD QT_QPA_PLATFORM=offscreen timeout 60 tiled "
    .. arguments .. " >/dev/null 2>&1") == 0
end

-- Exports a map and returns its path.
local function export(text, flags)
  write("map.tmx", text)
  assert(run((flags or "") .. " --export-map json map.tmx map.tmj"), "Tiled cannot export:\n" .. text)
  return folder .. "map.tmj"
end

local HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
local MAP = HEAD .. '<map version="1.8" orientation="%s" renderorder="right-down" width="3" height="2" tilewidth="16" '
  .. 'tileheight="16" infinite="%d" nextlayerid="9" nextobjectid="99">%s</map>'
local SET = '<image source="ground.png" width="32" height="48"/><tile id="1" type="Wall"><properties>'
  .. '<property name="hard" type="bool" value="true"/></properties></tile>'
local TILESET = '<tileset firstgid="1" name="Ground" tilewidth="16" tileheight="24" tilecount="4" columns="2">' .. SET
  .. "</tileset>"

local function map(content, orientation, infinite)
  return MAP:format(orientation or "orthogonal", infinite and 1 or 0, TILESET .. content)
end

local GIDS = { 1, 2147483650, 0, 3, 1073741825, 536870914 }

local function floor(attributes, data)
  return '<layer id="1" name="Floor" width="3" height="2"><data ' .. attributes .. ">" .. data .. "</data></layer>"
end

local OBJECTS = [[<group id="2" name="Town" offsetx="10" offsety="20"><objectgroup id="3" name="Things" offsetx="1">
<object id="1" name="hero" type="Player" x="40" y="50" width="10" height="20" rotation="90"><properties>
<property name="hp" type="int" value="12"/><property name="tint" type="color" value="#800080ff"/>
<property name="target" type="object" value="2"/><property name="stats" type="class" propertytype="Stats"><properties>
<property name="str" type="int" value="4"/></properties></property></properties></object>
<object id="2" name="wall" gid="2147483650" x="8" y="30" width="32" height="48"/>
<object id="3" name="spot" x="1.5" y="2.5"><point/></object>
<object id="4" name="area" x="1" y="1"><polygon points="0,0 4,0 4,8"/></object>
<object id="5" name="sign" x="2" y="3" width="40" height="20"><text wrap="1" color="#ff0000">Hello</text></object>
</objectgroup></group><imagelayer id="4" name="Sky" offsetx="3"><image source="sky.png" width="4" height="4"/>
</imagelayer>]]

-- Tests if Tiled is installed and works.
local function is_installed()
  make_folder()
  write("map.tmx", map(""))
  local works = run("--export-map json map.tmx map.tmj") and lfs.attributes(folder .. "map.tmj", "size") ~= nil
  remove_folder()
  return works
end

if os.execute "command -v tiled >/dev/null 2>&1" ~= 0 or not is_installed() then return end

describe("a map exported by Tiled", function()
  before_each(make_folder)
  after_each(remove_folder)

  it("has its layers, groups and objects at their positions", function()
    local seen, image = {}, nil
    local result = assert(tiled(export(map(OBJECTS)), { components = { ["*"] = function(values, one)
      seen[one.name] = { values, one }
    end }, layer = function(one) image = one.image or image end }))
    assert.same({ "Town", "Sky" }, { result.entities[1].name, result.entities[2].name })
    local things = result.entities[1].children[1]
    assert.same({ name = "hero", id = 1,
      components = { transform = { position = { 40, 50, 0 }, angle = math.pi / 2 } } }, things.children[1])
    assert.same({ position = { 40, 30, 0 }, scale = { -1, 1, 1 } }, things.children[2].components.transform)
    assert.same({ hp = 12, tint = { 0, 128 / 255, 1, 128 / 255 }, target = 2, stats = { str = 4 } }, seen.hero[1])
    assert.same({ "Wall", { hard = true } }, { seen.wall[2].class, seen.wall[1] })
    assert.same({ "point", "polygon", "text", "Hello" }, { seen.spot[2].shape, seen.area[2].shape, seen.sign[2].shape,
      seen.sign[2].text.text })
    assert.equal(folder .. "sky.png", image)
  end)

  it("has its tiles at their positions", function()
    local csv = floor('encoding="csv"', table.concat(GIDS, ","))
    local children = assert(tiled(export(map(csv)), { tiles = true })).entities[1].children
    assert.equal(5, #children)
    assert.same({ position = { 0, -8, 0 } }, children[1].components.transform)
    assert.same({ position = { 32, -8, 0 }, scale = { -1, 1, 1 } }, children[2].components.transform)
    assert.same({ position = { 32, 16, 0 }, angle = math.pi / 2, scale = { 1, -1, 1 } },
      children[5].components.transform)
  end)

  it("is the same level as Tiled's own file and its Lua export", function()
    local csv = floor('encoding="csv"', table.concat(GIDS, ","))
    for _, content in ipairs({ OBJECTS, csv }) do
      -- A Lua export does not contain types of properties.
      content = content:gsub('<property name="tint".-/>', "")
      local expected = assert(tiled(export(map(content)), { tiles = true, fields = "props" }))
      assert(run("--export-map lua map.tmx map.lua"))
      assert.same(expected, (assert(tiled(folder .. "map.lua", { tiles = true, fields = "props" }))))
      if pcall(require, "lxp") then
        assert.same(expected, (assert(tiled(folder .. "map.tmx", { tiles = true, fields = "props" }))))
      end
    end
  end)

  it("is the same level in every tile layer format", function()
    local content = floor('encoding="csv"', table.concat(GIDS, ","))
    local plain = assert(tiled(export(map(content)), { tiles = true }))
    local base64 = "AQAAAAIAAIAAAAAAAwAAAAEAAEACAAAg"
    assert.same(plain, assert(tiled(export(map(floor('encoding="base64"', base64))), { tiles = true })))
    if not pcall(require, "zlib") then return end
    for kind, data in pairs({ zlib = "eJxjZGBgYGJgaABSDMxAzMjA4ADkKwAACmwA6g==",
      gzip = "H4sIAAAAAAACA2NkYGBgYmBoAFIMzEDMyMDgAOQrAAAHcAYgGAAAAA==" }) do
      local path = export(map(floor('encoding="base64" compression="' .. kind .. '"', data)))
      assert.same(plain, assert(tiled(path, { tiles = true })), kind)
    end
  end)

  it("may be infinite", function()
    local zeros = ("0,"):rep(255)
    local layer = floor('encoding="csv"', '<chunk x="-16" y="0" width="16" height="16">' .. zeros .. "2</chunk>"
      .. '<chunk x="0" y="-16" width="16" height="16">1,' .. zeros:sub(1, -2) .. "</chunk>")
    local children = assert(tiled(export(map(layer, nil, true)), { tiles = true })).entities[1].children
    local positions = {}
    for index, node in ipairs(children) do positions[index] = node.components.transform.position end
    table.sort(positions, function(a, b) return a[1] < b[1] end)
    assert.same({ { -16, 232, 0 }, { 0, -264, 0 } }, positions)
  end)

  it("may use external tilesets and templates", function()
    write("set.tsx", HEAD .. '<tileset version="1.8" name="Set" tilewidth="16" tileheight="24" tilecount="4" '
      .. 'columns="2">' .. SET .. "</tileset>")
    assert(run("--export-tileset json set.tsx set.tsj"))
    write("wall.tj", '{"type":"template","tileset":{"firstgid":1,"source":"set.tsj"},"object":{"name":"brick",'
      .. '"type":"","gid":2,"width":16,"height":24,"rotation":0,"visible":true,'
      .. '"properties":[{"name":"hp","type":"int","value":3}]}}')
    local text = MAP:format("orthogonal", 0, '<tileset firstgid="1" source="set.tsj"/>' .. floor('encoding="csv"',
      "0,0,0,2,0,0") .. '<objectgroup id="2" name="Things"><object id="1" template="wall.tj" x="5" y="6"/>'
      .. '<object id="2" template="wall.tj" name="big" x="7" y="8" width="32" height="48"/></objectgroup>')
    local function read(path)
      local seen = {}
      local result = assert(tiled(path, { tiles = true, components = { Wall = function(values, one)
        seen[one.id] = { one.name, one.width, values.hp, values.hard }
      end } }))
      return result, seen
    end
    local result, seen = read(export(text))
    assert.same({ { "brick", 16, 3, true }, { "big", 32, 3, true } }, seen)
    assert.same({ { position = { 0, 8, 0 } } }, { result.entities[1].children[1].components.transform })
    -- An export with everything embedded gives the same level.
    local resolved, again = read(export(text, "--embed-tilesets --detach-templates --resolve-types-and-properties"))
    assert.same(result, resolved)
    assert.same(seen, again)
  end)

  for _, orientation in ipairs({ "isometric", "staggered", "hexagonal" }) do
    it("may be " .. orientation, function()
      local layer = floor('encoding="csv"', "1,0,0,0,1,0")
      local text = map(layer, orientation):gsub('infinite="0"', 'infinite="0" staggeraxis="y" staggerindex="odd" '
        .. 'hexsidelength="8"')
      local children = assert(tiled(export(text), { tiles = true })).entities[1].children
      local positions = { children[1].components.transform.position, children[2].components.transform.position }
      local expected = { isometric = { { 8, -8, 0 }, { 8, 8, 0 } }, staggered = { { 0, -8, 0 }, { 24, 0, 0 } },
        hexagonal = { { 0, -8, 0 }, { 24, 4, 0 } } }
      assert.same(expected[orientation], positions)
    end)
  end
end)
