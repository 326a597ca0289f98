-- The worked example of CONTRIBUTING.md, built into a module of its own, and its spec.

-- tags: around once unix

local file = require "spec.support.file"

-- Returns path -> text of the code blocks that name a file.
local function blocks(text)
  local found = {}
  for path, block in text:gmatch "\n```%a+ ([%w_/]+%.%a+)\n(.-\n)```\n" do found[path] = block end
  return found
end

local function shell(command)
  local output = os.tmpname()
  local status = os.execute(("(%s) >%s 2>&1 </dev/null"):format(command, output))
  local text = file.read(output)
  os.remove(output)
  return status == 0 or status == true, text
end

-- The text of a source file with one more line in its table, before the line that begins with 'before'.
local function with_line(path, line, before)
  local source, pattern = file.read(path), before:gsub("%p", "%%%0")
  local changed, count = source:gsub("\n" .. pattern, function(found) return "\n" .. line:sub(1, -2) .. found end, 1)
  assert(count == 1, path .. " has no place for the worked example's line")
  return changed
end

describe("the worked example of CONTRIBUTING.md", function()
  local files = blocks(file.read "CONTRIBUTING.md")
  local build = os.getenv "CUTTLE_BUILD" or "build/test"
  local sanitized = os.getenv "CUTTLE_SANITIZER" == "1"
  local folder

  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(shell(("mkdir -p %s/cuttle && cp -r src %s/src"):format(folder, folder)))
  end)

  teardown(function() shell(("rm -rf %s"):format(folder)) end)

  it("has exactly the files that a component type needs", function()
    local paths = {}
    for path in pairs(files) do paths[#paths + 1] = path end
    table.sort(paths)
    assert.are.same({
      "spec/component/lifetime_spec.lua", "src/bind/component/components.c", "src/bind/component/lifetime.c",
      "src/component/lifetime.c", "src/component/lifetime.h", "src/world/world.c",
    }, paths)
  end)

  local function build_and_run(source, spec, successes)
    for path, text in pairs(files) do
      if path:match "lifetime" and path:match "^src" then file.write(folder .. "/" .. path, text) end
    end
    file.write(folder .. "/src/component/lifetime.c", source)
    local world = with_line("src/world/world.c", files["src/world/world.c"], "    {NULL, ")
    file.write(folder .. "/src/world/world.c", (world:gsub('\n#include "', '\n#include "component/lifetime.h"%0', 1)))
    local components = "src/bind/component/components.c"
    file.write(folder .. "/" .. components, with_line(components, files[components], "    HAS(transform, transform)"))
    file.write(folder .. "/lifetime_spec.lua", spec)
    local built, output = shell(("tools/example.sh %s %s"):format(build, folder))
    assert.is_true(built, output)
    local line = "CUTTLE_BUILD=%s %s tools/busted.lua --output=plainTerminal %s/lifetime_spec.lua"
    local passed, report = shell(line:format(folder, rawget(_G, "jit") and "luajit" or "lua5.1", folder))
    assert.is_true(passed, report)
    assert.matches(successes .. " successe?s? / 0 failures", report)
  end

  -- Four files are compiled and linked with the objects of the build under test. Objects of the sanitizer build would
  -- need their runtime, so this test is left out there.
  if not sanitized then
    it("builds without a warning and passes its spec", function()
      build_and_run(files["src/component/lifetime.c"], files["spec/component/lifetime_spec.lua"], 2)
    end)

    it("needs no more files if the compiled data differs from the fields", function()
      local source = files["src/component/lifetime.c"]
      local function replace(old, new)
        local first, last = source:find(old, 1, true)
        assert(first, "the worked example has no " .. old)
        source = source:sub(1, first - 1) .. new .. source:sub(last + 1)
      end
      replace("static const ct_manager_shape shape = {", [[
        static const ct_field inputs[] = {{.name = "minutes", .type = CT_FIELD_FLOAT, .required = true}};

        static ct_status fill(ct_manager *lifetimes, ct_row first, uint32_t count, const ct_values *minutes) {
            float *seconds = ct_manager_item(lifetimes, &fields[0], first);
            for (uint32_t i = 0; i < count; ++i)
                seconds[i] = 60 * *(const float *)((const char *)minutes->items + i * minutes->stride);
            return CT_OK;
        }

        static bool bake(const ct_values *minutes, uint32_t i, uint32_t ancestor, void *const *columns,
                         struct ct_arena *arena) {
            (void)ancestor, (void)arena;
            ((float *)columns[0])[i] = 60 * *(const float *)minutes->items;
            return true;
        }

        static const ct_manager_shape shape = {
            .inputs = inputs,
            .input_count = 1,
      ]])
      replace(".fill = ct_manager_fill_columns", ".fill = fill")
      replace("{.fields = fields, .field_count = 1}", "{.fields = fields, .field_count = 1, .bake = bake}")
      build_and_run(source, [[
        local cuttle = require "cuttle"
        it("lifetimes are created and compiled from minutes", function()
          local world = cuttle.world(cuttle.entity_manager())
          assert.equal(90, world.lifetime:seconds(world:create { lifetime = { minutes = 1.5 } }))
          local function compile(...)
            local entities = {}
            for i, lifetime in ipairs { ... } do entities[i] = { components = { lifetime = lifetime } } end
            return cuttle.compiler(world):compile { entities = entities }
          end
          local level = assert(world:spawn(cuttle.resource(compile({ minutes = 2 }, { minutes = 3 }))))
          assert.equal(120, world.lifetime:seconds(level:entity(1)))
          assert.equal(180, world.lifetime:seconds(level:entity(2)))
          assert.is_nil((compile { seconds = 2 }))
          assert.is_nil((compile {}))
        end)
      ]], 1)
    end)
  end
end)
