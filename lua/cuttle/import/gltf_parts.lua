--- Descriptions of the objects that glTF nodes refer to: meshes, skins, cameras, lights.
-- Does not depend on nodes and scenes. Does not read vertices, images and key frames.
-- @module cuttle.import.gltf_parts

local failure = require "cuttle.failure"
local json = require "cuttle.json"
local leftovers = require "cuttle.import.leftovers"
local source = require "cuttle.import.source"
local values = require "cuttle.import.gltf_values"

local is_null = json.is_null

local parts = {}

local LIGHTS = "KHR_lights_punctual"

-- Descriptions ---------------------------------------------------------------------------------------------------
--
-- Each function takes the cursor at `data`, the document, `data`, and the description, which has index, name and
-- extras.

local describe = {}

function describe.mesh(cursor, document, data, mesh)
  mesh.resource, mesh.primitives = mesh.name or ("mesh_%d"):format(mesh.index), {}
  local materials = cursor:maybe(document, "materials", "array", {})
  for place, item in cursor:each(data, "primitives") do
    local primitive = { mode = cursor:maybe(item, "mode", "integer", 4) }
    if not is_null(item.material) then
      primitive.material_index = values.index(cursor, item, "material", #materials, "material")
      local material = materials[primitive.material_index + 1]
      primitive.material = type(material) == "table" and type(material.name) == "string" and material.name or nil
    end
    mesh.primitives[place] = primitive
  end
end

function describe.skin(cursor, document, data, skin)
  local count = #cursor:maybe(document, "nodes", "array", {})
  skin.joints = values.indices(cursor, data, "joints", count, "node")
  if not is_null(data.skeleton) then skin.skeleton = values.index(cursor, data, "skeleton", count, "node") end
end

function describe.camera(cursor, _, data, camera)
  camera.type = cursor:need(data, "type", "string")
  if camera.type ~= "perspective" and camera.type ~= "orthographic" then
    cursor:fail("type", "expected \"perspective\" or \"orthographic\", got %s", failure.show(camera.type))
  end
  local lens = cursor:need(data, camera.type, "object")
  cursor:enter(camera.type)
  camera.znear = cursor:need(lens, "znear", "number")
  if camera.type == "perspective" then
    camera.yfov, camera.zfar = cursor:need(lens, "yfov", "number"), cursor:maybe(lens, "zfar", "number")
    camera.aspect_ratio = cursor:maybe(lens, "aspectRatio", "number")
  else
    camera.zfar = cursor:need(lens, "zfar", "number")
    camera.xmag, camera.ymag = cursor:need(lens, "xmag", "number"), cursor:need(lens, "ymag", "number")
  end
  cursor:leave()
end

function describe.light(cursor, _, data, light)
  light.type = cursor:need(data, "type", "string")
  light.intensity, light.range = cursor:maybe(data, "intensity", "number", 1), cursor:maybe(data, "range", "number")
  local color = is_null(data.color) and { 1, 1, 1 } or cursor:numbers(data, "color", 3)
  light.color = { color[1], color[2], color[3], 1 }
  if light.type == "spot" then
    local spot = cursor:maybe(data, "spot", "object", {})
    cursor:enter("spot")
    light.inner_cone_angle = cursor:maybe(spot, "innerConeAngle", "number", 0)
    light.outer_cone_angle = cursor:maybe(spot, "outerConeAngle", "number", math.pi / 4)
    cursor:leave()
  end
end

-- Lookup ---------------------------------------------------------------------------------------------------------

-- Paths of the lists in the document.
local LISTS = { mesh = { "meshes" }, skin = { "skins" }, camera = { "cameras" },
  light = { "extensions", LIGHTS, "lights" } }

-- Returns the list of a kind and moves the cursor to it; empty if it is missing.
local function enter_list(cursor, document, kind)
  local holder, path = document, LISTS[kind]
  for depth = 1, #path - 1 do
    holder = cursor:maybe(holder, path[depth], "object", {})
    cursor:enter(path[depth])
  end
  local list = cursor:maybe(holder, path[#path], "array", {})
  cursor:enter(path[#path])
  return list
end

local Parts = {}
Parts.__index = Parts

--- Makes the descriptions of a document. Each object is described once, on its first use.
-- @tparam string file its name, for messages
-- @tparam table document
function parts.new(file, document)
  return setmetatable({ cursor = source.cursor(file), document = document, lists = {}, known = {} }, Parts)
end

-- Returns the list of a kind, and its descriptions so far.
function Parts:list(kind)
  if not self.lists[kind] then
    self.lists[kind] = enter_list(self.cursor, self.document, kind)
    self.cursor:leave(#LISTS[kind])
    self.known[kind] = {}
  end
  return self.lists[kind], self.known[kind]
end

function Parts:describe(kind, index)
  local cursor = self.cursor
  local list = enter_list(cursor, self.document, kind)
  local data = cursor:need(list, index + 1, "object")
  cursor:enter(index + 1)
  local part = { index = index, name = values.name(cursor, data), extras = leftovers.plain(data.extras) }
  describe[kind](cursor, self.document, data, part)
  cursor:leave(#LISTS[kind] + 1)
  return part
end

--- Returns the description of the object whose index is `holder[key]`.
-- @tparam cursor cursor at `holder`
-- @tparam table holder
-- @tparam string key
-- @tparam string kind "mesh", "skin", "camera" or "light"
-- @treturn table description, the same for all references; nil if there is no index
function Parts:find(cursor, holder, key, kind)
  if is_null(holder[key]) then return nil end
  local list, known = self:list(kind)
  local index = values.index(cursor, holder, key, #list, kind)
  if not known[index] then known[index] = self:describe(kind, index) end
  return known[index]
end

--- Returns the light of a node, or nil.
function Parts:light(cursor, node)
  local extensions = cursor:maybe(node, "extensions", "object", {})
  cursor:enter("extensions")
  local holder = cursor:maybe(extensions, LIGHTS, "object", {})
  cursor:enter(LIGHTS)
  local light = self:find(cursor, holder, "light", "light")
  cursor:leave(2)
  return light
end

return parts
