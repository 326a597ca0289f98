-- Writes the seeds of the fuzz targets: levels of our own compiler, saves of our own worlds, operations.
--
--     lua spec/fuzz/seeds.lua FOLDER      inputs of target T in FOLDER/T
--
-- The first lines of each target describe its input.

local cuttle = require "cuttle"
local blob = require "spec.support.blob"
local core = require "cuttle.core"
local each = require "cuttle.each"
local formula_input = require "spec.support.formula_input"
local saves = require "spec.support.saves"

local LEVELS = {
  { { name = "car", components = {
        transform = { position = { 1, 2, 3 }, angle = 1 },
        item = { { id = "front", kind = "sword" }, { kind = "shield", state = "old" }, { id = 9 } },
        health = { hp = 50, target = "lamp", title = "hero" },
        bag = { things = { 1, "two", { three = 3.5, four = { true } } } },
        model = { resource = "leg" },
        grid = { width = 3, height = 2, cell_size = 8, cells = { 1, 0, 2, 300, 0, 3 }, tiles = "hero" } },
      children = {
        { id = "b", name = "bulb", components = { transform = { scale = 2, parent_node = "knee" }, health = {} } },
        { components = { mesh = { { resource = "box" }, { resource = "box", color = { 1, 0, 0, 1 } } } } } } },
    { name = "lamp", components = { health = { title = "hero", target = "car" }, item = {} } },
    { components = { transform = { position = { 5, 0, 0 } }, debug_name = { name = "bulb" } } } },
  { { id = "one", name = "one", components = { transform = {}, point_mass = { mass = 3, velocity = { 1, 0, 0 } } } },
    { id = "two", components = { actor = { shape = "ball" }, spikes = { 1, 2 } } } },
  { { name = "car", components = { transform = { position = { 4, 2, 3 } }, health = { hp = 7 } },
      children = { { id = "b", name = "bulb", components = { transform = { scale = 3 } },
        children = { { components = { transform = {}, health = { title = "new" } } } } } } } },
  { { components = { transform = { matrix = { 1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1 } } } } },
  { { name = "a" }, { name = "b", children = { { name = "c" } } } },
  {},
}

local world, entities = saves.new_world()
world:define("bag", { { "things", "value" } })
local compiler = cuttle.compiler(world)
compiler:register("spikes", function(config) return string.rep("x", config[1]) .. "yes" end)

local levels, texts = {}, {}
for i, list in ipairs(LEVELS) do levels[i] = assert(compiler:compile { entities = list }) end

local function take_save()
  return entities:snapshot():tostring()
end

-- Saves of a growing world.
texts[1] = take_save()
local list = {}
for i = 1, 3 do
  list[i] = saves.create(world, i, list[1])
  texts[#texts + 1] = take_save()
end
world.transform:link(list[3], list[2], { node = "knee" })
world.bag:create(list[2], { things = { 1, "two", { three = 3.5 } } })
world.transform:set_local_matrix(list[1], 1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1)
entities:destroy(list[1])
texts[#texts + 1] = take_save()

-- Saves with levels.
local forest = assert(cuttle.resource(levels[1], "forest"))
assert(world:spawn(forest, { position = { 1, 2, 3 }, parent = list[2], parent_node = "knee", overrides = {
  car = { health = { hp = 3, target = list[2] }, bag = { things = { 1 } }, item = { { id = "front" } } } } }))
assert(world:spawn_many(assert(cuttle.resource(levels[3])), { positions = { 1, 2, 3, 4, 5, 6 } }))
texts[#texts + 1] = take_save()

local folder = arg[1]
local written = 0

local function write(target, ...)
  written = written + 1
  local file = assert(io.open(("%s/%s/seed%03d"):format(folder, target, written), "wb"))
  file:write(...)
  file:close()
end

local function char(...) return string.char(...) end

for i, bytes in ipairs(levels) do
  for _, options in ipairs { 0, 1, 2 + 8 * 2, 2 + 8 * 3 + 32, 4, 64, 128 } do
    write("blob", char(options, 255), bytes)
  end
  write("blob", char(0, 20), bytes)
  write("lua", char(0), bytes)
  for k, other in ipairs(levels) do
    local size = char(#bytes % 256, math.floor(#bytes / 256))
    write("patch", char((i + k) % 2 * 2, 255), size, bytes, other)
    if i == k then write("patch", char(1, 255), size, bytes, char(200 % #bytes, 0, 1), char(90, 0, 7)) end
    if i ~= k then write("patch", char(8 + 16 * 7, 30), size, bytes, other) end
    write("lua", char(1, math.floor(256 * (#bytes + 1) / (#bytes + #other + 1) + 0.999) % 256), bytes, other)
  end
end
-- A level of the other byte order, which must be refused.
write("blob", char(0, 255), blob.put(levels[1], 0, "RLTC"))
for _, text in ipairs(texts) do
  write("save", char(1, 255), text)
  write("save", char(0, 40), text)
  write("lua", char(2), text)
end
for _, text in ipairs {
  '{"entities":[{"name":"a","components":{"transform":{"position":[1,2,3]},"health":{"hp":1,"target":"b"}},'
    .. '"children":[{"name":"b","components":{"item":[{"id":"x","state":"old"}],"bag":{"things":[1,{"a":null}]}}}]}]}',
  '{"entities":[{"prefab":"no.json"},{"components":{"grid":{"width":2,"height":1,"cells":[1,2]}}}]}', "[]",
} do write("lua", char(3), text) end
for _, text in ipairs(formula_input.TEXTS) do write("lua", char(5), text) end
write("lua", char(4), "\8\4\0\0\0abcd\1\2\3\4\5\6\7\8")

-- Messages of a publisher: full ones, and changes. The subscriber does not define 'ghost'.
local ghost = world:define("ghost", { { "x", "float" } })
ghost:create(list[2])
local out = cuttle.publisher(world, { steps = { ["transform.local_position"] = 0.5 },
  components = { "transform", "health", "item", "bag", "grid", "mesh", "model", "debug_name", "ghost" } })
local messages = {}
for frame = 1, 3 do
  out:frame()
  messages[frame] = out:message(frame - 1)
  world.transform:set_local_position(list[2], frame, 2, 3)
  ghost:set_x(list[2], frame)
  if frame == 2 then entities:destroy(list[3]) end
end
local framed = {}
for i, message in ipairs(messages) do
  framed[i] = char(#message % 256, math.floor(#message / 256)) .. message
  write("message", char(255), framed[i])
  write("message", char(30 * i), table.concat(framed))
end

-- Operations: each byte chooses one, and the bytes after it are its arguments.
math.randomseed(1)
for _ = 1, 40 do
  local bytes = {}
  for i = 1, math.random(20, 300) do
    bytes[i] = char(math.random(3) == 1 and math.random(0, 255) or math.random(0, 15))
  end
  write("grid", table.concat(bytes))
  write("snapshot", table.concat(bytes))
end

-- Formulas: options, constants, two bytes for each field, the components, and operations whose operands are near
-- registers. Each kind of operation occurs, branches with their ends.
local CODES, kinds = core.formula.operations, {}
for _, code in each, CODES do kinds[#kinds + 1] = code end
table.sort(kinds)
for i = 1, 60 do
  local bytes, depth = { char((i * 7) % 256) }, 0
  for place = 2, 1 + 3 * 4 + 6 * 2 + 2 do bytes[place] = char(math.random(0, 15)) end
  local function add(kind, ...) bytes[#bytes + 1] = char(kind, ...) .. char(0):rep(5 - select("#", ...)) end
  for _ = 1, math.random(1, 30) do
    local kind = kinds[math.random(#kinds)]
    if kind == CODES.IF then depth = depth + 1 end
    if kind == CODES.END then depth = depth - 1 end
    if kind == CODES.LOAD then
      add(kind, math.random(5, 20), math.random(0, 5), 0, 1)
    elseif kind == CODES.STORE then
      add(kind, math.random(0, 5), math.random(0, 20), 0, 1)
    elseif depth >= 0 then
      add(kind, math.random(5, 23), math.random(0, 20), math.random(0, 20), math.random(0, 20))
    end
    depth = math.max(depth, 0)
  end
  for _ = 1, depth do add(CODES.END) end
  write("formula", table.concat(bytes))
end
