--- The types of fields, by name, as the core has them.
-- Each has `lane`, the name of the type of its parts (`vec3`: "float"), `lanes`, their count, and `parts`, a letter for
-- each, or nil. `number` is "integer" or "number", or nil for what scripts see as something else. Integers have `low`
-- and `high`.

local core = require "cuttle.core"

local REAL = { float = "number", double = "number" }

local types, lane_names, place = {}, {}, 0
while true do
  local name, lane, lanes, parts, low, high = core.schema.field_type(place)
  if not name then return types end
  lane_names[lane] = lane_names[lane] or name -- the first type with such a lane has one
  types[name] = { lane = lane_names[lane], lanes = lanes, parts = parts, low = low, high = high,
    number = low and "integer" or REAL[lane_names[lane]] }
  place = place + 1
end
