-- Scripts that replace functions of the standard libraries. The FFI code of the library keeps the functions that it
-- found when it was loaded, because it could not trust a script's functions when it accesses memory.

-- tags: ffi

local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"

local next, error, pcall, rawset, type = next, error, pcall, rawset, type

local LIBRARIES = { _G, string, table, math, rawget(_G, "bit") }

-- Returns the result of f. Every function of the libraries raises in the meantime, except for busted's functions in the
-- FFI library.
local function without_libraries(f, ...)
  local kept = {}
  for number, library in next, LIBRARIES do
    kept[number] = {}
    for name, value in next, library do
      if type(value) == "function" and name ~= "pcall" then kept[number][name] = value end
    end
  end
  for number, library in next, LIBRARIES do
    for name in next, kept[number] do
      rawset(library, name, function() error(name .. " of a script was called", 0) end)
    end
  end
  local ok, result = pcall(f, ...)
  for number, library in next, LIBRARIES do
    for name, value in next, kept[number] do rawset(library, name, value) end
  end
  if not ok then error(result, 0) end
  return result
end

local FIELDS = { { "a", "float" }, { "b", "double" }, { "c", "int16" }, { "d", "uint32" }, { "e", "bool" },
  { "f", "entity" }, { "g", "vec2" }, { "h", "vec3" }, { "i", "quat" }, { "j", "mat4" },
  { "k", "enum", { "idle", "run", "hide" } }, { "l", "string" }, { "m", "value" } }

for _, kind in ipairs(kinds) do
  describe("a script that replaced the libraries (" .. kind.name .. ")", function()
    local entities, world, manager, e

    before_each(function()
      entities = cuttle.entity_manager()
      world = cuttle.world(entities)
      -- The metatypes of these types are created here, because no earlier spec did.
      manager = world:define("thing", FIELDS)
      world:define("other", { { "x", "float" } }, { multiple = true })
      e = world:create { thing = {}, other = {}, transform = {}, grid = { width = 2, height = 2 } }
    end)

    local function works(f)
      return kind.with(function() return without_libraries(f) end)
    end

    it("can use views of columns", function()
      works(function()
        for i = 1, 11 do
          local view = manager:column(FIELDS[i][1])
          local value = view[0]
          if i < 7 or i == 11 then
            view[0] = value
            view:set(0, view:get(0))
          else
            view:set(0, view:get(0))
          end
          if view:count() ~= 1 or view == manager then error "not one" end
        end
        local place = world.transform:column("local_position")[0]
        if place.x ~= 0 then error "not at 0" end
      end)
      assert.is_true(world:validate())
    end)

    it("gets an error from a stale view", function()
      local message = works(function()
        local view = manager:column "a"
        world:destroy()
        local read, message = pcall(function() return view[0] end)
        return not read and message
      end)
      assert.matches("world is destroyed", message)
    end)

    it("can use loops over rows", function()
      local count = works(function()
        local sum = 0
        for _ in world:rows "thing" do sum = sum + 1 end
        for _ in world:rows("thing", "transform", "!debug_name") do sum = sum + 1 end
        for _ in world:rows("thing", "?other", "?grid") do sum = sum + 1 end
        return sum
      end)
      assert.are.equal(3, count)
    end)

    it("can use methods of entities and readers of grids", function()
      works(function()
        local reader = world.grid:reader(e)
        if not entities:alive(e) or not manager:has(e) or manager:a(e) ~= 0 or reader[3] ~= 0 then error "wrong" end
        manager:set_a(e, 2)
        manager:set_h(e, 1, 2, 3)
        if manager:a(e) ~= 2 or manager:row_of_id(5) then error "wrong" end
        entities:destroy(e)
        local read, message = pcall(function() return reader[0] end)
        if read or message == "" then error "read" end
      end)
    end)
  end)
end
