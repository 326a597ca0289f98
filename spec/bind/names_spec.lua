-- Names of methods of built-in managers. Each is found literally in the files of its component, or in those that all
-- managers share, so no name is composed by code.

local cuttle = require "cuttle"
local tree = require "spec.support.tree"

local function read_all(folder, wanted)
  local text = {}
  for _, path in ipairs(tree.files(folder)) do
    local content = tree.read(path)
    if wanted(path:match "[^/]+$", content) then text[#text + 1] = content end
  end
  return table.concat(text)
end

local methods_of = require("spec.support.methods").of

-- These fields are written only by `set`, because a new size changes the cells.
local BY_SET = { grid = { width = true, height = true } }

describe("methods of built-in managers", function()
  local common = read_all("src/bind/manager", function() return true end)

  for type_name, manager in cuttle.world(cuttle.entity_manager()):managers() do
    local in_c = read_all("src/bind/component", function(name) return name:find("^" .. type_name) end)
    local in_lua = read_all("lua/cuttle", function(_, content)
      return content:find('core.add_methods("' .. type_name .. '"', 1, true)
    end)

    it("have literal names in the source: " .. type_name, function()
      for method in pairs(methods_of(manager)) do
        local quoted = '"' .. method .. '"'
        local found = in_c:find(quoted, 1, true)
          or common:find(quoted, 1, true)
          or in_lua:find("\nfunction [%w_]+%." .. method .. "%(")
        assert.is_truthy(found, ("%s:%s is not in the source"):format(type_name, method))
      end
    end)

    it("include a getter and a setter for each field: " .. type_name, function()
      for _, field in ipairs(manager:fields()) do
        assert.is_function(methods_of(manager)[field[1]])
        local by_set = BY_SET[type_name] and BY_SET[type_name][field[1]]
        assert.equal(by_set and "nil" or "function", type(methods_of(manager)["set_" .. field[1]]), field[1])
      end
    end)
  end
end)
