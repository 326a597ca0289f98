-- Compiled levels compared with those of another host, in both byte orders. make test32 and make test-bigendian provide
-- the other host's levels.

-- tags: machine

local cuttle = require "cuttle"
local same_bytes = require "spec.support.same_bytes"

local FOLDER = os.getenv "CUTTLE_BLOBS"

-- The bytes that the other host compiled, or nil if the folder is not set.
local function theirs(name)
  if not FOLDER then return nil end
  local file = assert(io.open(FOLDER .. "/" .. name, "rb"))
  local bytes = file:read "*a"
  file:close()
  return bytes
end

-- The position of the first byte in which two texts differ, or nil.
local function difference(a, b)
  if a == b then return nil end
  for i = 1, math.max(#a, #b) do
    if a:byte(i) ~= b:byte(i) then return ("offset %d of %d and %d bytes"):format(i - 1, #a, #b) end
  end
end

describe("a level compiled on another host", function()
  local ours = same_bytes.blobs()
  local names = {}
  for name in pairs(ours) do names[#names + 1] = name end
  table.sort(names)

  for _, name in ipairs(names) do
    if FOLDER then
      it("has the same bytes on this host: " .. name, function()
        assert.is_nil(difference(theirs(name), ours[name]))
      end)
    end

    it("loads and spawns in the byte order of this host: " .. name, function()
      local resource, message = cuttle.resource(theirs(name) or ours[name])
      if message and message:find("compiled for %a+%-endian machines") then return end
      local world = same_bytes.world()
      local level = assert(world:spawn(assert(resource, message)))
      assert.equal(resource:entity_count(), level:count())
      assert.is_true(assert(world:validate()))
    end)
  end
end)
