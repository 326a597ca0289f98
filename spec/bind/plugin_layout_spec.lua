-- The binary layout of the C API for plugins. Plugins are compiled against it once, so nothing here changes within a
-- major version: new functions are added at the end of ct_api and before its reserved members.

-- tags: unix

local host_program = require "spec.support.host_program"

-- The members of each struct in order. Types: u8, u16, u32, u64, f32, f64 and p (a pointer to data or a function), *n
-- for an array; or an earlier struct.
local STRUCTS = [[
ct_entity: u32 id
ct_row: u32 i
ct_string: u32 ref
ct_text: p bytes, u32 length
ct_values: p items, u32 stride
ct_pose: f32*3 position, f32*4 rotation, f32*3 scale
ct_allocator: p reallocate, p user
ct_changed_poses: p entities, u32 count, u8 all
ct_grid_size: u32 width, u32 height, f32 cell_width, f32 cell_height
ct_grid_cell: u32 x, u32 y, u32 value
ct_space_options: u32 size, u32 dimensions, f64 cell, f64 radius, p radius_of, p mask_of, u32 radius_field,
  u32 mask_field
ct_space_filter: u32 except, u8 masked, u32 mask
ct_space_answer: p entities, u32 count
ct_space_near: u32 entity, f64 distance
ct_space_hit: u32 entity, f64 fraction, f64*3 at, f64*3 normal
ct_grid_hit: u32 x, u32 y, u32 value, f64 px, f64 py
ct_grid_stop: f64 x, f64 y, u32 hit_x, u32 hit_y
ct_grid_rectangle: u32 x, u32 y, u32 width, u32 height
ct_grid_corner: u32 x, u32 y, u32 outline
ct_patch_counts: u32 added, u32 removed, u32 changed, u32 moved, u32 left
ct_work_time: u64 calls, u64 nanoseconds
ct_enum: p labels, u32 preset
ct_component_field: p name, u32 type, u8 read_only, u8 required, p preset
ct_component: u32 size, u32 flags, p name, p fields, u32 field_count, u32 own_bytes, p methods, p opened, p closed,
  p created, p removing, p moved, p written, p bytes, p validate, p save, p restore, p to_bytes, p from_bytes,
  p hidden, p*3 reserved
ct_component_id: u32 number, ct_text text
ct_override_value: p input, u32 type, p item
ct_override: ct_text path, p component, u32 place, ct_component_id id, p values, u32 value_count
ct_level_options: u32 size, u8 refuse_unknown, ct_entity parent, p pose, p overrides, u32 override_count
ct_join: u64*64 memory
ct_query_run: u32 match, u32 count, ct_row*8 rows
ct_api: u32 version, u32 size, p check_entity, p to_entity, p push_entity, p check_entities, p open_list, p fill_list,
  p check_world, p check_entity_manager, p self, p self_world, p world_entities, p alive, p create, p destroy, p listen,
  p unlisten, p define, p find_manager, p own, p entities, p reallocate, p count, p find, p find_many, p next, p owners,
  p check_row, p check_live_row, p push_instance, p find_field, p column, p text, p add, p remove, p write, p gc,
  p world_matrix, p local_pose, p set_local_pose, p link, p parent, p check_status, p load, p spawn, p check_level,
  p level_count, p level_entity, p level_find, p unload, p restart, p join, p join_next, p link_node, p snapshot,
  p restore, p record, p rewind, p save_to_string, p save_from_string, p patch, p hash, p define_migrate, p profile,
  p timing, p world_pose, p set_world_position, p set_world_rotation, p set_world_pose, p set_local_poses,
  p set_world_positions, p set_world_rotations, p set_world_poses, p first_child, p next_sibling, p child_count,
  p watch_poses, p unwatch_poses, p changed_poses, p grid_cells, p grid_cell, p set_grid_cells, p grid_solid,
  p grid_cell_at, p grid_box, p grid_ray, p field_count, p field_type, p add_values,
  p grid_move, p grid_colliders, p grid_outlines, p fill_grid, p grid_flips, p set_grid_flips, p query, p query_free,
  p query_refresh, p query_run, p check_space, p refresh_space, p space_within,
  p space_box, p space_nearest, p space_nearest_many, p space_ray, p space_pairs, p space,
  p space_free, p space_refresh, p*4 reserved
]]

-- Values are 0, 1, 2 and so on, or as given. New ones are added at the end.
local ENUMS = [[
CT_OK CT_ERR_MEMORY CT_ERR_FULL CT_ERR_EXISTS CT_ERR_CYCLE CT_ERR_DATA CT_ERR_OVER
CT_FIELD_FLOAT CT_FIELD_DOUBLE CT_FIELD_INT8 CT_FIELD_UINT8 CT_FIELD_INT16 CT_FIELD_UINT16 CT_FIELD_INT32
  CT_FIELD_UINT32 CT_FIELD_BOOL CT_FIELD_VEC2 CT_FIELD_VEC3 CT_FIELD_VEC4 CT_FIELD_QUAT CT_FIELD_MAT4 CT_FIELD_COLOR
  CT_FIELD_ENTITY CT_FIELD_STRING CT_FIELD_ENUM CT_FIELD_VALUE CT_FIELD_DVEC2 CT_FIELD_DVEC3
CT_QUERY_REQUIRED CT_QUERY_EXCLUDED CT_QUERY_OPTIONAL
CT_QUERY_ROW CT_QUERY_END CT_QUERY_MOVED
CT_COMPONENT_MULTIPLE=1
CT_COMPONENT_ARRAY=2
CT_NOBODY=4294967295
CT_NO_ROW=4294967295
CT_NO_FIELD=4294967295
CT_ENTITY_INDEX_BITS=22
CT_ENTITY_GENERATION_BITS=8
CT_ENTITY_TAG=1
CT_MAX_JOINED=8
CT_API_MAJOR=1
]]

-- Iterates over the entries of a list. Lines that begin with a space continue an entry.
local function entries(text)
  return text:gsub("\n +", " "):gmatch "[^\n]+"
end

local function parse_structs()
  local structs = {}
  for entry in entries(STRUCTS) do
    local struct = { name = entry:match "^[%w_]+" }
    for kind, count, name in entry:match(": (.*)"):gmatch "([%w_]+)%*?(%d*) ([%w_]+)" do
      struct[#struct + 1] = { kind = kind, count = tonumber(count) or 1, name = name }
    end
    structs[#structs + 1] = struct
  end
  return structs
end

-- The expected output of the program: offsets by the rules of C for the sizes and alignments of this machine.
local function expected_offsets(structs, sizes, aligns)
  local lines = {}
  for _, struct in ipairs(structs) do
    local offset, align = 0, 1
    for _, member in ipairs(struct) do
      local own = aligns[member.kind]
      offset = math.ceil(offset / own) * own
      lines[#lines + 1] = ("%s.%s %d"):format(struct.name, member.name, offset)
      offset = offset + sizes[member.kind] * member.count
      align = math.max(align, own)
    end
    sizes[struct.name], aligns[struct.name] = math.ceil(offset / align) * align, align
    lines[#lines + 1] = ("%s %d"):format(struct.name, sizes[struct.name])
  end
  return lines
end

local function expected_numbers()
  local lines = {}
  for entry in entries(ENUMS) do
    local next_number = 0
    for name, number in entry:gmatch "([%w_]+)=?(%d*)" do
      lines[#lines + 1] = ("%s %s"):format(name, number ~= "" and number or next_number)
      next_number = next_number + 1
    end
  end
  return lines
end

local KINDS = { u8 = "uint8_t", u16 = "uint16_t", u32 = "uint32_t", u64 = "uint64_t", f32 = "float", f64 = "double",
  p = "void *" }

local function write_program(structs)
  local lines = { '#include "cuttle.h"', "#include <stdio.h>", "int main(void) {" }
  local function add(...) lines[#lines + 1] = ("    " .. (...)):format(select(2, ...)) end
  for kind, type in pairs(KINDS) do
    add('{ struct a { char c; %s x; }; printf("%s %%u ", (unsigned)sizeof(%s));', type, kind, type)
    add 'printf("%%u\\n", (unsigned)offsetof(struct a, x)); }'
  end
  add 'printf("\\n");'
  for _, struct in ipairs(structs) do
    for _, member in ipairs(struct) do
      add('printf("%s.%s %%u\\n", (unsigned)offsetof(%s, %s));', struct.name, member.name, struct.name, member.name)
    end
    add('printf("%s %%u\\n", (unsigned)sizeof(%s));', struct.name, struct.name)
  end
  for entry in entries(ENUMS) do
    for name in entry:gmatch "(CT_[%w_]+)" do add('printf("%s %%u\\n", (unsigned)%s);', name, name) end
  end
  add "return 0;"
  lines[#lines + 1] = "}\n"
  local path = os.tmpname()
  os.remove(path)
  path = path .. ".c"
  local file = assert(io.open(path, "w"))
  file:write(table.concat(lines, "\n"))
  file:close()
  return path
end

describe("the binary layout of the C API", function()
  it("has fixed order, offsets, sizes and numbers", function()
    local structs = parse_structs()
    local source = write_program(structs)
    local program = host_program.compile(source, "")
    local done, output = host_program.run(program)
    os.remove(source)
    os.remove(program)
    assert.is_true(done, output)
    local machine, found = output:match "^(.-\n)\n(.*)$"
    local sizes, aligns = {}, {}
    for kind, size, align in machine:gmatch "(%w+) (%d+) (%d+)\n" do
      sizes[kind], aligns[kind] = tonumber(size), tonumber(align)
    end
    local lines = expected_offsets(structs, sizes, aligns)
    for _, line in ipairs(expected_numbers()) do lines[#lines + 1] = line end
    assert.equal(table.concat(lines, "\n") .. "\n", found)
  end)

  it("is listed completely: every struct of cuttle.h, and every member of ct_api", function()
    local file = assert(io.open "src/cuttle.h")
    local text = file:read "*a"
    file:close()
    for name in text:gmatch "\n} (ct_[%w_]+);" do
      local listed = ("\n" .. STRUCTS):find("\n" .. name .. ": ", 1, true)
      if not text:find("typedef enum " .. name, 1, true) then assert.is_truthy(listed, name) end
    end
  end)
end)
