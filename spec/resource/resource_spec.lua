-- The format of compiled resources, their methods, cuttle.load.

local blob = require "spec.support.blob"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"

local NOBODY = 0xFFFFFFFF
local little = core.compile.host_endian() == "little"

local LEVEL = { entities = {
  { name = "car",
    components = {
      transform = { position = { 1, 2, 3 } },
      wheels = { { id = "front", radius = 0.5 }, { radius = 2 } },
      health = { hp = 50, target = "lamp", title = "hero" },
    },
    children = { { name = "bulb", components = { transform = { position = { 0, 10, 0 }, scale = 2 } } } } },
  { name = "lamp", components = { health = { title = "hero" } } },
  {},
} }

local function new_world()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("health", { { "hp", "float", 100 }, { "target", "entity" }, { "title", "string" }, { "on", "bool" } })
  world:define("wheels", { { "radius", "double", 1 } }, { multiple = true })
  return world
end

local function compile_source(level, options)
  return (assert(cuttle.compiler(new_world()):compile(level, options)))
end

local function compile(options) return compile_source(LEVEL, options) end

describe("a compiled resource", function()
  local bytes = compile { endian = "little" }
  local found = blob.read(bytes)

  it("begins with magic, version, length and checksum", function()
    assert.equal("CTLR", found.magic)
    assert.equal(2, found.version)
    assert.equal(#bytes, found.bytes)
    assert.equal(blob.crc32(bytes, 17), found.checksum)
  end)

  it("holds the parent of each entity, which precedes the entity", function()
    assert.are.same({ NOBODY, 0, NOBODY, NOBODY }, found.parents)
  end)

  it("holds the component types in spawn order, then by name", function()
    local names = {}
    for i, section in ipairs(found.sections) do names[i] = section.name end
    assert.are.same({ "transform", "debug_name", "health", "wheels" }, names)
  end)

  it("identifies a type by the hash of its name", function()
    for _, section in ipairs(found.sections) do
      assert.equal(blob.fnv1a(section.name), section.identifier)
    end
  end)

  it("aligns each type to a multiple of 16", function()
    for _, section in ipairs(found.sections) do assert.equal(0, section.at % 16) end
  end)

  it("holds the owners of the instances, in ascending order", function()
    assert.are.same({ 0, 1 }, found.sections.transform.entity_index)
    assert.are.same({ 0, 2 }, found.sections.health.entity_index)
    assert.are.same({ 0, 0 }, found.sections.wheels.entity_index)
  end)

  it("has a schema that does not depend on defaults", function()
    local world = cuttle.world(cuttle.entity_manager())
    world:define("health",
      { { "hp", "float", 7 }, { "target", "entity" }, { "title", "string", "x" }, { "on", "bool" } })
    local level = { entities = { { components = { health = {} } } } }
    local other = blob.read((assert(cuttle.compiler(world):compile(level, { endian = "little" }))))
    assert.equal(found.sections.health.schema, other.sections.health.schema)
    assert.are_not.equal(0, other.sections.health.schema)
  end)

  it("holds plain fields column by column, each aligned to a multiple of 16", function()
    local data = found.sections.health.data
    assert.equal(50, blob.f32(bytes, data))
    assert.equal(100, blob.f32(bytes, data + 4))
    assert.equal(2, blob.u32(bytes, data + 16), "the target: entity 2, the lamp")
    assert.equal(NOBODY, blob.u32(bytes, data + 20))
    assert.equal("\0\0", bytes:sub(data + 49, data + 50), "on: two bools")
  end)

  it("holds each string once, at the end of its type's data", function()
    local section = found.sections.health
    local title = blob.u32(bytes, section.data + 32)
    assert.equal(title, blob.u32(bytes, section.data + 36))
    assert.equal("hero", blob.text(bytes, section.data + 64, title))
    assert.equal(64 + 4 + 4 + 1, section.size)
  end)

  it("holds component ids as numbers, 0 for none, or as strings with the top bit set", function()
    local section = found.sections.wheels
    local first, second = blob.u32(bytes, section.data), blob.u32(bytes, section.data + 4)
    assert.equal(2^31, first - first % 2^31)
    assert.equal("front", blob.text(bytes, section.data + 32, first % 2^31))
    assert.equal(0, second)
  end)

  it("holds local matrices, and world matrices relative to the root of their tree", function()
    local data = found.sections.transform.data
    local function row(matrix, numbers)
      local out = {}
      for i = 1, 16 do out[i] = blob.f32(bytes, data + matrix * 64 + (i - 1) * 4) end
      assert.are.same(numbers, out)
    end
    row(0, { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1 })
    row(1, { 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 10, 0, 1 })
    row(2, { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1 })
    row(3, { 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 12, 3, 1 })
  end)

  it("holds the names of the entities that have one", function()
    local at = found.entity_names
    local names = {}
    for i = 0, 3 do
      local offset = blob.u32(bytes, at + i * 4)
      names[i + 1] = offset ~= NOBODY and blob.text(bytes, at + 16, offset)
    end
    assert.are.same({ "car", "bulb", "lamp", false }, names)
  end)

  it("has no table of names if no entity has a name", function()
    local nameless = blob.read(compile_source({ entities = { {} } }, { endian = "little" }))
    assert.equal(0, nameless.entity_names)
  end)

  it("has a correct checksum for all sizes, also for large ones, which are processed in larger steps", function()
    -- Names of many lengths, so that sizes have every remainder.
    for size = 16384 - 40, 16384 + 60, 21 do
      local text = ("x"):rep(size - 500)
      local entity = { components = { debug_name = { name = text } } }
      local large = compile_source { entities = { entity, { name = "rest" } } }
      assert.equal(blob.crc32(large, 17), blob.read(large).checksum)
      local place = 17 + size * 7919 % (#large - 17)
      local damaged = large:sub(1, place - 1) .. string.char((large:byte(place) + 1) % 256) .. large:sub(place + 1)
      assert.is_truthy(cuttle.resource(large))
      local resource, message = cuttle.resource(damaged)
      assert.is_nil(resource)
      assert.matches("its checksum does not fit", message)
    end
  end)

  it("holds the same numbers in the other byte order", function()
    local big = compile { endian = "big" }
    local other = blob.read(big)
    assert.equal("RLTC", other.magic)
    assert.equal(#bytes, #big)
    assert.equal(blob.crc32(big, 17), other.checksum)
    assert.are.same(found.parents, other.parents)
    assert.are.same(found.sections.wheels, other.sections.wheels)
    assert.equal(50, blob.f32(big, other.sections.health.data, true))
    assert.equal("hero", blob.text(big, other.sections.health.data + 64, 0, true))
  end)
end)

describe("a resource", function()
  it("returns its entity count, its size and its component types", function()
    local bytes = compile()
    local resource = cuttle.resource(bytes)
    assert.equal(4, resource:entity_count())
    assert.equal(#bytes, resource:bytes())
    assert.are.same({ "transform", "debug_name", "health", "wheels" }, resource:component_types())
  end)

  describe("describe returns", function()
    local function lines_of(resource, options)
      local lines = {}
      for line in resource:describe(options):gmatch "[^\n]+" do lines[#lines + 1] = line end
      return lines
    end

    local function chain(count, name)
      local source = { entities = {} }
      for i = 1, count do
        source.entities[i] = { id = "e" .. i, name = name, parent = i > 1 and "e" .. i - 1 or nil }
      end
      return cuttle.resource(compile_source(source))
    end

    it("a line for the resource, one for each type, and one for each entity with its components", function()
      local lines = lines_of(cuttle.resource(compile()))
      assert.equal(10, #lines)
      assert.matches("4 entities %(3 roots, 3 named%), 4 component types$", lines[1])
      assert.matches("^  wheels: 2 instances, %d+ bytes$", lines[5])
      assert.are.same({ "tree:", "  car: transform, health, wheels x2", "    bulb: transform", "  lamp: health",
        "  (no name)" }, { unpack(lines, 6) })
    end)

    it("the bytes per instance of data from registered compilers", function()
      local compiler = cuttle.compiler(new_world())
      compiler:register("spikes", function(config) return ("x"):rep(config.n) end)
      compiler:register("traps", function() return "12" end)
      local resource = cuttle.resource((assert(compiler:compile { entities = {
        { components = { spikes = { n = 5 }, traps = {} } }, { components = { spikes = { n = 0 }, traps = {} } } } })))
      local lines = lines_of(resource)
      assert.equal("  spikes: 2 instances, 13 bytes, opaque: 0 to 5 bytes each", lines[2])
      assert.equal("  traps: 2 instances, 12 bytes, opaque: 2 bytes each", lines[3])
      assert.equal("  (no name): spikes, traps", lines[5])
    end)

    it("the first hundred entities, or the requested number", function()
      local source = { entities = {} }
      for i = 1, 250 do source.entities[i] = { name = "e" .. i } end
      local resource = cuttle.resource(compile_source(source))
      local lines = lines_of(resource)
      assert.equal("  e100", lines[#lines - 1])
      assert.equal("  and 150 more", lines[#lines])
      assert.equal("  and 249 more", lines_of(resource, { tree = 1 })[5])
      assert.equal("  e250", lines_of(resource, { tree = "all" })[253])
      assert.equal(2, #lines_of(resource, { tree = 0 }))
    end)

    it("a hierarchy of any depth, with limited indentation", function()
      local lines = lines_of(chain(20000, "link"), { tree = "all" })
      assert.equal(20003, #lines)
      assert.equal(("  "):rep(31) .. "link", lines[3 + 31])
      assert.equal(("  "):rep(31) .. "(19999 deep) link", lines[20003])
    end)

    it("children below their parents, in any order of the resource", function()
      local names = { "a", "b", "c", "d", "e", "f" }
      local bytes = core.compile.resource(not little, { 0, 0, 1, 2, 1, 3 }, names, {}, {}, {}, {}, {})
      local resource = assert(cuttle.resource(bytes))
      assert.are.same({ "  a", "    c", "      f", "    e", "  b", "    d" }, { unpack(lines_of(resource), 3) })
    end)

    it("shortened names, with replaced bytes that are not text", function()
      local lines = lines_of(chain(1, ("x"):rep(100)))
      assert.equal("  " .. ("x"):rep(57) .. "...", lines[4])
      assert.equal("  a?b?c?", lines_of(chain(1, "a\nb\0c\127"))[4])
      assert.equal("  " .. ("x"):rep(56) .. "...", lines_of(chain(1, ("x"):rep(56) .. "\195\164zzzz"))[4])
    end)

    it("an error for wrong options", function()
      local resource = cuttle.resource(compile())
      raises("unknown option 'tre' (did you mean 'tree'?)", function() resource:describe { tre = 1 } end)
      for _, tree in ipairs { -1, 0.5, "none", true, 2^33, {} } do
        raises('tree: "all" or a number of lines expected', function() resource:describe { tree = tree } end)
      end
      raises("table expected, got string", function() resource:describe "all" end)
    end)
  end)

  it("may have no entities", function()
    local resource = assert(cuttle.resource(compile_source { entities = {} }))
    assert.equal(0, resource:entity_count())
    assert.are.same({}, resource:component_types())
  end)

  it("raises for a value that is not a blob", function()
    raises("string expected, got nil", cuttle.resource, nil)
    raises("string expected, got table", cuttle.resource, {})
  end)

  it("refuses a method call on another object", function()
    local resource = cuttle.resource(compile())
    raises("Resource expected, got table", resource.bytes, {})
    raises("Resource expected, got userdata", resource.bytes, io.stdout)
  end)
end)

describe("cuttle.load", function()
  local path

  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  local function write(bytes)
    local file = assert(io.open(path, "wb"))
    file:write(bytes)
    file:close()
  end

  it("reads a resource from a file", function()
    write(compile())
    assert.equal(4, assert(cuttle.load(path)):entity_count())
  end)

  it("names a missing file", function()
    os.remove(path)
    assert.are.same({ nil, path .. ": No such file or directory", n = 2 },
      { n = select("#", cuttle.load(path)), cuttle.load(path) })
  end)

  it("names a folder", function()
    local resource, message = cuttle.load "spec"
    assert.is_nil(resource)
    assert.matches("^spec: ", message)
  end)

  it("names a file with damaged content", function()
    write(compile():sub(1, -2))
    local resource, message = cuttle.load(path)
    assert.is_nil(resource)
    assert.equal(path .. ": the resource is damaged", message:sub(1, #path + 25))
  end)

  it("raises for a path that cannot be opened on any system", function()
    raises("string expected, got nil", cuttle.load, nil)
    raises("a path cannot hold a zero byte", cuttle.load, "a\0b")
  end)
end)

describe("a blob is refused", function()
  local bytes = compile()
  local found = blob.read(bytes)

  local function refused(text, damaged)
    local resource, message = cuttle.resource(damaged)
    assert.is_nil(resource)
    if not message:find(text, 1, true) then error(("expected: %s\ngot: %s"):format(text, message), 2) end
  end

  -- Only numbers in the byte order of this host can be replaced here.
  local function with(offset, value)
    return blob.seal(blob.put_u32(bytes, offset, value))
  end

  it("that is shorter than its header", function()
    refused("not an entity resource: 0 bytes", "")
    refused("not an entity resource: 31 bytes", bytes:sub(1, 31))
  end)

  it("that is not a resource", function()
    refused("it does not begin with CTLR", ("x"):rep(100))
  end)

  it("of the other byte order, with the remedy", function()
    local other, own = little and "big" or "little", little and "little" or "big"
    refused(("compiled for %s-endian machines: compile it with endian = \"%s\""):format(other, own),
      compile { endian = other })
  end)

  it("of another format version, with the remedy", function()
    refused("format version 1, this library reads version 2: compile it again", with(4, 1))
    refused("format version 3, this library reads version 2: compile it again", with(4, 3))
  end)

  it("that was truncated", function()
    refused(("written with %d bytes, there are %d"):format(#bytes, #bytes - 1), bytes:sub(1, -2))
  end)

  it("with any changed byte", function()
    for offset = 16, #bytes - 1, 7 do
      local changed = string.char((bytes:byte(offset + 1) + 1) % 256)
      refused("the resource is damaged: its checksum does not fit", blob.put(bytes, offset, changed))
    end
  end)

  it("with more entities than are allowed, or than fit", function()
    refused("4294967295 entities, 4194304 is the limit", with(16, 2^32 - 1))
    refused("4194304 entities do not fit", with(16, 2^22))
  end)

  it("with more component types than fit", function()
    refused("4097 component types, 4096 is the limit", with(20, 4097))
    refused("component types do not fit", with(20, 5))
  end)

  it("with a parent that does not precede its child", function()
    refused("the parent of entity 1 does not precede it", with(32, 0))
    refused("the parent of entity 2 does not precede it", with(36, 3))
  end)

  it("with names outside of the blob", function()
    refused("the names are outside of the resource", with(24, 2^32 - 1))
    refused("the names are outside of the resource", with(24, 0))
    refused("the name of a component type is outside of the resource", with(found.sections[1].at + 4, #bytes))
    refused("the names of entities do not fit", with(28, #bytes - 4))
  end)

  it("with a type whose name does not match its identifier", function()
    refused("whose name and identifier differ", with(found.sections[1].at, 12345))
  end)

  it("with the same type twice", function()
    local wheels, health = found.sections.wheels, found.sections.health
    local twice = blob.put(bytes, wheels.at, bytes:sub(health.at + 1, health.at + 8))
    refused("health: duplicate component type", blob.seal(twice))
  end)

  it("with more instances than fit", function()
    local at = found.sections.wheels.at
    refused("wheels: its 100000 instances do not fit", with(at + 12, 100000))
    refused("wheels: 4294967295 instances, 4194304 is the limit", with(at + 12, 2^32 - 1))
    refused("wheels: its 2 instances do not fit", with(at + 16, 2^32 - 1))
  end)

  it("with owners that are not in ascending order or do not exist", function()
    local at = found.sections.health.at + 20
    refused("the entities of health are not in ascending order", with(at, 3))
    refused("health belongs to entity 5 of 4", with(at + 4, 4))
  end)

  it("with two transforms of one entity", function()
    refused("transform: entity 1 has two", with(found.sections.transform.at + 24, 0))
  end)

  it("with a built-in type of other fields, and named in the message", function()
    refused("debug_name: the resource was compiled for other fields: compile it again",
      with(found.sections.debug_name.at + 8, 77))
  end)

  it("with a transform that holds a forged NaN", function()
    refused("transform: world of instance 2 has a NaN", with(found.sections.transform.data + 192, 0xFFFC0001))
  end)

  it("with a world matrix that does not match the parent's", function()
    refused("world matrix of instance", with(found.sections.transform.data + 128 + 48, 0))
  end)

  it("with a debug_name whose string is outside of the data", function()
    local wrong = "debug_name: name of instance 1 is a string outside of the resource"
    refused(wrong, with(found.sections.debug_name.data, 4000))
    refused(wrong, with(found.sections.debug_name.data, 2))
  end)

  it("with a debug_name whose string has no end", function()
    local section = found.sections.debug_name
    refused("is a string outside of the resource", with(section.data + 16, 2^32 - 1))
    refused("is a string outside of the resource", with(section.data + 16, 2))
  end)

  it("with opaque data whose sizes do not match", function()
    local at = found.sections.wheels.at
    refused("wheels: the data of instance", with(at + 8, 0))
  end)
end)
