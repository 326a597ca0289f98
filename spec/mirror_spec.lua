-- Each source file with behaviour of its own has a spec: of its name, in the folder of its layer, or one that it shares
-- with files of the same idea. SHARED lists the shared ones.

-- tags: around once unix

local file = require "spec.support.file"

-- Folders of `src` and `lua`, and the folders of `spec` that may have a spec of the same name. A folder of the binding
-- shares the specs of the layer that it exposes.
local FOLDERS = {
  ["src/base"] = "spec/base", ["src/entity"] = "spec/entity", ["src/storage"] = "spec/storage",
  ["src/component"] = "spec/component", ["src/world"] = "spec/world", ["src/world/hooks"] = "spec/world",
  ["src/world/checked"] = "spec/hosts", ["src/resource"] = "spec/resource", ["src/level"] = "spec/level",
  ["src/host"] = "spec/hosts", ["src/system"] = "spec/lua",
  ["src/level/replication"] = "spec/level", ["src/bind/replication"] = "spec/level",
  ["src/bind/value"] = "spec/bind spec/entity", ["src/bind/entities"] = "spec/bind spec/entity",
  ["src/bind/manager"] = "spec/bind spec/storage spec/world", ["src/bind/world"] = "spec/bind spec/world",
  ["src/bind/component"] = "spec/bind spec/component", ["src/bind/level"] = "spec/bind spec/level spec/resource",
  ["src/bind/plugin"] = "spec/bind", ["src/bind/resource"] = "spec/bind spec/resource",
  ["src/bind/snapshot"] = "spec/bind spec/level", ["src/bind/module"] = "spec/bind",
  ["lua/cuttle"] = "spec/lua", ["lua/cuttle/cli"] = "spec/lua/cli", ["lua/cuttle/compiler"] = "spec/lua/compiler",
  ["lua/cuttle/formula"] = "spec/lua/formula", ["lua/cuttle/import"] = "spec/lua/import",
  ["lua/cuttle/inspector"] = "spec/lua/inspector",
  ["lua/cuttle/inspector/page"] = "spec/lua/inspector", ["lua/cuttle/json"] = "spec/lua/json",
}

-- Specs and the files that share them: paths without `src/`, `lua/cuttle/` and their endings.
local SHARED = {
  ["spec/argument_spec.lua"] = "argument",
  ["spec/bind/attach_spec.lua"] = "attach",
  ["spec/bind/close_spec.lua"] = "bind/value/address_table bind/value/class",
  ["spec/bind/items_spec.lua"] = "bind/manager/items_compiled items lanes storage/cursor",
  ["spec/bind/module_spec.lua"] = "init",
  ["spec/bind/names_spec.lua"] = "bind/world/managers bind/world/self world/names",
  ["spec/bind/plugin_api_spec.lua"] =
    "base/pin bind/plugin/api component/record_plugin",
  ["spec/bind/plugin_world_spec.lua"] = "world/checked/checked_space",
  ["spec/bind/query_spec.lua"] = "bind/world/query_conditions bind/world/query_fields",
  ["spec/bind/shared_methods_spec.lua"] = "bind/manager/definition bind/value/object",
  ["spec/bind/space_spec.lua"] =
    "bind/component/transform_watch world/space/pairs world/space/questions world/space/ray world/space/space "
    .. "world/space/space_index world/space/space_levels world/space/space_move world/space/space_visit",
  ["spec/bind/whole_spec.lua"] = "bind/value/check bind/value/compat compat",
  ["spec/component/grid_spec.lua"] =
    "bind/component/grid_reader component/grid_check component/grid_tiles grid_readers storage/cells",
  ["spec/component/grid_patch_spec.lua"] = "level/patch_cells",
  ["spec/component/inputs_spec.lua"] = "bind/component/components",
  ["spec/component/mesh_spec.lua"] = "bind/component/static_data storage/resource_names",
  ["spec/component/model_spec.lua"] =
    "component/model_check component/model_define component/model_pool "
    .. "component/model_pose models",
  ["spec/component/record_spec.lua"] = "component/record_check bind/world/define",
  ["spec/component/transform_modes_spec.lua"] =
    "component/transform_batch component/transform_marks component/transform_order",
  ["spec/component/transform_nodes_spec.lua"] = "world/node_links",
  ["spec/component/transform_spec.lua"] =
    "bind/component/transform_links component/transform_check component/transform_links "
    .. "component/transform_spawn world/placement bind/value/pose",
  ["spec/entity/entity_manager_spec.lua"] = "bind/entities/deaths",
  ["spec/hosts/base_spec.lua"] =
    "base/alloc base/arena base/callbacks base/clock base/hash base/message base/table base/writer",
  ["spec/hosts/host_api_spec.lua"] =
    "host/components host/entities host/grids host/models host/queries host/recorders host/release host/slots "
    .. "host/transforms host/replication host/worlds world/checked/explained",
  ["spec/hosts/grid_spec.lua"] = "world/checked/checked_grid",
  ["spec/hosts/level_memory_spec.lua"] = "level/level_memory",
  ["spec/hosts/levels_spec.lua"] =
    "bind/plugin/levels level/levels resource/resource_writer resource/section_writer "
    .. "resource/compilation",
  ["spec/hosts/poses_spec.lua"] =
    "component/transform_pose component/transform_watch component/transform_world "
    .. "world/checked/checked_transform component/transform_2d",
  ["spec/hosts/query_spec.lua"] = "storage/query",
  ["spec/level/level_state_spec.lua"] =
    "level/level_state_apply level/level_state_items level/level_state_match level/level_state_read "
    .. "level/level_state_rows level/level_state_write",
  ["spec/level/level_spec.lua"] =
    "bind/level/level_context bind/level/spawn bind/level/world_host level/level_restart",
  ["spec/level/patch_spec.lua"] =
    "level/patch_apply level/patch_make level/patch_plan "
    .. "level/patch_shadow level/patch_step bind/level/patch_blocks resource/match",
  ["spec/hosts/recorder_spec.lua"] = "level/snapshot_changes",
  ["spec/level/replication_spec.lua"] =
    "replication level/replication/apply_commit level/replication/apply_item "
    .. "level/replication/apply_target "
    .. "level/replication/peer_sent level/replication/apply_bind level/replication/apply_plan "
    .. "level/replication/apply_read level/replication/apply_step level/replication/commit level/replication/message "
    .. "level/replication/message_item level/replication/mirror level/replication/peer "
    .. "level/replication/published level/replication/publisher "
    .. "level/replication/record level/replication/subscriber level/replication/watched "
    .. "bind/replication/publisher bind/replication/subscriber",
  ["spec/level/save_levels_spec.lua"] = "level/save_levels_read",
  ["spec/level/save_spec.lua"] =
    "bind/value/value_bytes component/transform_save storage/manager_load "
    .. "storage/manager_save storage/value_bytes storage/value_writer world/save",
  ["spec/level/snapshot_spec.lua"] =
    "bind/snapshot/all_worlds component/grid_state component/model_state "
    .. "entity/entity_state storage/manager_state storage/store_state storage/string_pool_state "
    .. "level/shadow_worlds",
  ["spec/lua/bytes_spec.lua"] = "bind/resource/bytes",
  ["spec/lua/cli/compile_spec.lua"] = "cli/inputs cli/outputs",
  ["spec/lua/cli/grids_spec.lua"] = "cli/lua_text cli/tile_resources",
  ["spec/lua/cli/sources_spec.lua"] = "cli/sniff",
  ["spec/lua/cli_spec.lua"] = "cli/commands cli/failure cli/usage",
  ["spec/lua/columns_spec.lua"] = "bind/manager/column bind/manager/column_compiled storage/columns",
  ["spec/lua/compiler/registered_spec.lua"] = "compiler/source",
  ["spec/lua/compiler_spec.lua"] =
    "bind/resource/compile compiler/components compiler/entries compiler/order compiler/overlay "
    .. "compiler/places compiler/values",
  ["spec/lua/diff_spec.lua"] = "worlds",
  ["spec/lua/fast_spec.lua"] =
    "bind/manager/fields_compiled bind/value/compiled bind/value/mailbox storage/manager_keys",
  ["spec/lua/files_spec.lua"] = "bind/value/file system/file",
  ["spec/lua/formula/fields_spec.lua"] = "formula/names",
  ["spec/lua/formula/lexer_spec.lua"] = "bind/world/formula_token",
  ["spec/lua/formula/statements_spec.lua"] = "formula/compile formula/builder",
  ["spec/lua/formula/values_spec.lua"] = "formula formula/expression formula/functions formula/types",
  ["spec/lua/import/gltf_spec.lua"] =
    "import/gltf_accessors import/gltf_binary import/gltf_parts import/gltf_tree import/gltf_values "
    .. "import/cursor",
  ["spec/lua/import/ldtk_leftovers_spec.lua"] = "import/leftovers",
  ["spec/lua/import/ldtk_spec.lua"] = "import/ldtk_definitions import/ldtk_levels",
  ["spec/lua/import/tiled_formats_spec.lua"] =
    "import/base64 import/lua_data import/tiled_lua import/tiled_xml import/document",
  ["spec/lua/import/tiled_objects_spec.lua"] = "import/tiled_geometry import/tiled_shapes",
  ["spec/lua/import/tiled_spec.lua"] =
    "import/tiled_files import/tiled_layers import/tiled_tilesets import/tiled_types",
  ["spec/lua/import_spec.lua"] = "report",
  ["spec/lua/inspector/answers_spec.lua"] =
    "inspector/client inspector/http inspector/init inspector/routes inspector/text "
    .. "inspector/values inspector/view",
  ["spec/lua/inspector/browser_spec.lua"] =
    "inspector/page inspector/page/body inspector/page/fields inspector/page/graph inspector/page/main "
    .. "inspector/page/map inspector/page/panels inspector/page/source inspector/page/style inspector/page/tree",
  ["spec/lua/json_spec.lua"] = "json/encoder",
  ["spec/lua/options_spec.lua"] = "bind/value/options",
  ["spec/lua/read_spec.lua"] = "load",
  ["spec/lua/schema_spec.lua"] = "bind/module/schema",
  ["spec/resource/copies_spec.lua"] = "resource/repeat",
  ["spec/resource/damage_spec.lua"] = "resource/section_check",
  ["spec/resource/growth_spec.lua"] = "storage/layout storage/manager_spawn",
  ["spec/resource/ids_spec.lua"] = "storage/store_ids",
  ["spec/resource/overrides_spec.lua"] = "resource/override compiler/overrides",
  ["spec/resource/resource_spec.lua"] = "describe bind/resource/summary",
  ["spec/resource/spawner_spec.lua"] = "resource/spawner_check",
  ["spec/resource/spawners_spec.lua"] = "spawners",
  ["spec/storage/field_types_spec.lua"] = "field_types storage/field bind/value/values",
  ["spec/storage/loops_spec.lua"] = "storage/walk",
  ["spec/storage/migration_spec.lua"] = "world/define define",
  ["spec/storage/reserve_spec.lua"] = "storage/manager_memory",
  ["spec/storage/runs_spec.lua"] = "storage/manager_rows",
  ["spec/storage/store_spec.lua"] =
    "bind/manager/manager bind/manager/manager_create bind/manager/manager_fields bind/manager/manager_object "
    .. "bind/manager/target bind/value/parse_values bind/value/parse_values_fast storage/entity_map "
    .. "storage/manager storage/manager_access storage/store_add storage/store_gc storage/store_validate",
  ["spec/storage/value_pool_spec.lua"] = "bind/value/lua_values",
  ["spec/world/formula_forged_spec.lua"] = "world/formula_check",
  ["spec/world/formula_spec.lua"] =
    "bind/world/formula_fields bind/world/formula_program bind/world/formula_results bind/world/formula_self "
    .. "world/formula_block world/formula_fields world/formula_query world/formula_rows",
  ["spec/world/hooks_reasons_spec.lua"] = "bind/value/protected",
  ["spec/world/hooks_spec.lua"] = "world/hooks/additions bind/manager/attachment",
  ["spec/world/world_spec.lua"] = "world",
}

local function lines_of(command)
  local list = {}
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function exists(path)
  local opened = io.open(path)
  if opened then opened:close() end
  return opened ~= nil
end

-- Returns the path of the spec with the name of a source file, or nil.
local function own_spec(path)
  local folder, name = path:match "^(.*)/([^/]+)%.[^.]+$"
  for place in (FOLDERS[folder] or ""):gmatch "%S+" do
    local spec = ("%s/%s_spec.lua"):format(place, name)
    if exists(spec) then return spec end
  end
end

local function shared_files()
  local specs = {}
  for spec, names in pairs(SHARED) do
    for name in names:gmatch "%S+" do
      local c = ("src/%s.c"):format(name)
      specs[exists(c) and c or ("lua/cuttle/%s.lua"):format(name)] = spec
    end
  end
  return specs
end

describe("a source file", function()
  local shared = shared_files()
  local sources = lines_of "find src -name '*.c'; find lua -name '*.lua' ! -name meta.lua"

  it("has a spec of its name, or shares one", function()
    local missing = {}
    for _, path in ipairs(sources) do
      if not own_spec(path) and not shared[path] then missing[#missing + 1] = path end
    end
    table.sort(missing)
    assert.same({}, missing)
  end)

  it("is listed as one that shares a spec only if it has none of its own", function()
    local wrong = {}
    for path in pairs(shared) do
      if own_spec(path) or not exists(path) then wrong[#wrong + 1] = path end
    end
    table.sort(wrong)
    assert.same({}, wrong)
  end)

  it("shares a spec that exists and has tests", function()
    for spec in pairs(SHARED) do
      assert.is_true(exists(spec), spec)
      assert.is_truthy(file.read(spec):find "[%s(]it%(", spec)
    end
  end)
end)
