-- A value of each field type that is not the default, and the default, as in tables. The spec adds an entity.
-- spec/storage/field_types_spec.lua tests every type of the core with these values.

local IDENTITY = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }

return {
  float = { 1.5, 0 }, double = { 1 / 3, 0 }, int8 = { -128, 0 }, uint8 = { 255, 0 }, int16 = { -32768, 0 },
  uint16 = { 65535, 0 }, int32 = { -2 ^ 31, 0 }, uint32 = { 2 ^ 32 - 1, 0 }, bool = { true, false },
  vec2 = { { 1.5, -2 }, { 0, 0 } }, vec3 = { { 1, 2, -3.5 }, { 0, 0, 0 } }, vec4 = { { 1, 2, 3, 4 }, { 0, 0, 0, 0 } },
  -- Numbers that a float cannot hold.
  dvec2 = { { 0.1, -1e300 }, { 0, 0 } }, dvec3 = { { 1 / 3, 2 ^ 53 - 1, 5e-324 }, { 0, 0, 0 } },
  quat = { { 0, 1, 0, 0 }, { 0, 0, 0, 1 } }, color = { { 0.5, 0.25, 0, 1 }, { 1, 1, 1, 1 } },
  mat4 = { { 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1 }, IDENTITY },
  string = { "text\0more", "" }, enum = { "run", "idle", labels = { "idle", "run" } }, value = { { 1, { "x" } } },
}
