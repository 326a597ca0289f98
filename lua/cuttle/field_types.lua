--- Field types of the core, by name.
-- Each type has `lane` (the type of its parts: "float" for `vec3`), `lanes` (the number of parts), `parts` (one letter
-- for each part, or nil) and `number` ("integer", "number", or nil if scripts do not see a number). Integers have `low`
-- and `high`.

local core = require "cuttle.core"

local REAL = { float = "number", double = "number" }

local types, lane_names, place = {}, {}, 0
while true do
  local name, lane, lanes, parts, low, high = core.schema.field_type(place)
  if not name then return types end
  lane_names[lane] = lane_names[lane] or name -- the first type with this lane is the scalar type
  types[name] = { lane = lane_names[lane], lanes = lanes, parts = parts, low = low, high = high,
    number = low and "integer" or REAL[lane_names[lane]] }
  place = place + 1
end
