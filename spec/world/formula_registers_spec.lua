-- Registers that the core gives to values, and operations on values from any source.

local core = require "cuttle.core"
local lists = require "spec.support.formula_lists"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local CODES = core.formula.operations
local STORAGES = { 0 * 16 + 3, 1 * 16 + 1 } -- a vec3 and a number

-- Calls core.formula.registers with operations as in lists.operations. Values 1 and 2 are parameters, 3 is a constant.
local function assign(list)
  return core.formula.registers(lists.operations(list.uniform or {}), lists.operations(list), list.values or 40,
    list.constants or { 3, 0.5 }, list.parameters or 2, list.storages or STORAGES, list.result)
end

-- Returns the operations on registers as a text, and the number of registers.
local function shown(list)
  local operations, _, count = assign(list)
  local names, parts = {}, {}
  for name, number in pairs(CODES) do names[number] = name end
  for place = 1, #operations, 6 do
    parts[#parts + 1] = names[operations[place]] .. " " .. table.concat(operations, " ", place + 1, place + 5)
  end
  return table.concat(parts, "; "), count
end

describe("core.formula.registers", function()
  it("gives constants that are used the first registers, and parameters the next ones", function()
    local list = { { "ADD", 4, 1, 2 }, { "STATEMENT", 0, 1, 1 }, { "STORE", 1, 4 } }
    assert.are.equal("ADD 2 0 1 0 0; STATEMENT 0 1 1 0 0; STORE 1 2 0 1 0", (shown(list)))
    list[1] = { "ADD", 4, 1, 3 }
    assert.are.equal("ADD 3 1 0 0 0; STATEMENT 0 1 1 0 0; STORE 1 3 0 1 0", (shown(list)))
  end)

  it("uses a register again after the last use of its value", function()
    local text, count = shown { { "SELF", 4 }, { "ADD", 5, 4, 1 }, { "ADD", 6, 5, 1 }, { "STATEMENT", 0, 1, 1 },
      { "STORE", 1, 6 } }
    assert.are.equal("SELF 2 0 0 0 0; ADD 2 2 0 0 0; ADD 2 2 0 0 0; STATEMENT 0 1 1 0 0; STORE 1 2 0 1 0", text)
    assert.are.equal(3, count)
  end)

  it("keeps the registers of uniform results", function()
    local text, count = shown { uniform = { { "ADD", 4, 1, 2 } }, { "SELF", 5 }, { "MUL", 6, 4, 5 }, { "MUL", 7, 6, 5 },
      { "STATEMENT", 0, 1, 1 }, { "STORE", 1, 7 } }
    assert.are.equal("ADD 2 0 1 0 0; SELF 3 0 0 0 0; MUL 4 2 3 0 0; MUL 3 4 3 0 0; STATEMENT 0 1 1 0 0; "
      .. "STORE 1 3 0 1 0", text)
    assert.are.equal(5, count)
  end)

  it("drops operations without a use and stores that a later one replaces", function()
    assert.are.equal("STATEMENT 0 2 1 0 0; STORE 1 1 0 1 0", (shown { { "ADD", 4, 1, 2 }, { "LOAD", 5, 0, 0, 3 },
      { "STATEMENT", 0, 1, 1 }, { "STORE", 1, 1 }, { "STATEMENT", 0, 2, 1 }, { "STORE", 1, 2 } }))
  end)

  it("keeps a store of a field that is loaded before the later store, or not replaced as a whole", function()
    local text = shown { { "STATEMENT", 0, 1, 1 }, { "STORE", 1, 1 }, { "LOAD", 4, 1, 0, 1 }, { "STATEMENT", 0, 2, 1 },
      { "STORE", 1, 4 } }
    assert.are.equal(2, select(2, text:gsub("STORE", "")))
    text = shown { { "STATEMENT", 0, 1, 1 }, { "STORE", 0, 1 }, { "STATEMENT", 1, 2, 1 }, { "STORE", 0, 2 } }
    assert.are.equal(2, select(2, text:gsub("STORE", "")))
  end)

  it("loads from the first to the last lane that is used", function()
    assert.are.equal("LOAD 2 0 1 1 0; STATEMENT 0 1 1 0 0; STORE 1 2 0 1 0",
      (shown { { "LOAD", 4, 0, 0, 3 }, { "STATEMENT", 0, 1, 1 }, { "STORE", 1, 5 } }))
  end)

  it("copies lanes that are stored in another order", function()
    assert.are.equal("LOAD 2 0 0 3 0; MOVE 5 4 0 1 0; MOVE 6 3 0 1 0; MOVE 7 2 0 1 0; STATEMENT 0 1 1 0 0; "
      .. "STORE 0 5 0 3 0", (shown { { "LOAD", 4, 0, 0, 3 }, { "STATEMENT", 0, 1, 1 }, { "STORE", 0, 6, 5, 4 } }))
  end)

  it("returns the first register of a result, and the number of operations without statements", function()
    local _, constants, count, operations, first = assign { { "ADD", 4, 1, 3 }, { "SUB", 5, 1, 3 }, result = { 4, 5 } }
    assert.are.same({ 0.5 }, constants)
    assert.are.same({ 5, 2, 3 }, { count, operations, first })
  end)

  it("returns nothing if there are too few registers", function()
    local list = { values = 2000, result = { 4 } }
    for value = 4, 1100 do list[#list + 1] = { "SELF", value } end
    for value = 4, 1099 do list[#list + 1] = { "ADD", value + 1, value, value + 1 } end
    list.result = { 1100 }
    assert.are.equal(0, select("#", assign(list)))
  end)

  it("takes no number of a dropped operation for a value", function()
    local text = shown { uniform = { { "STATEMENT", 4294967295, 1, 1 }, { "END", 4294967295 } },
      { "STATEMENT", 0, 1, 1 }, { "STORE", 1, 1 } }
    assert.are.equal("END 4294967295 0 0 0 0; STATEMENT 0 1 1 0 0; STORE 1 0 0 1 0", text)
  end)

  it("refuses values, fields and kinds that do not exist", function()
    for _, list in ipairs {
      { { "ADD", 4, 1, 41 } }, { { "ADD", 0, 1, 2 } }, { { "ADD", 41, 1, 2 } }, { { "LOAD", 39, 0, 0, 3 } },
      { { "LOAD", 4, 2, 0, 1 } }, { { "LOAD", 4, 0, 0, 0 } }, { { "LOAD", 4, 0, 0, 5 } }, { { "STORE", 2, 1 } },
      { { "STORE", 1 } }, { constants = { 41, 1 } }, { parameters = 41 }, { result = { 0 } },
      { { "STORE", 1, 1 } }, { { "NEG", 4, 5 }, result = { 4 } }, { result = { 5 } },
    } do
      raises("wrong operation on values", assign, list)
    end
  end)
end)

describe("A list of operations on values, seed " .. seed .. ",", function()
  it("is refused or becomes a list on registers", function()
    local random, names, accepted = new_random(seed), {}, 0
    for name in pairs(CODES) do names[#names + 1] = name end
    table.sort(names)
    local function value() return random(30) == 1 and random(44) - 2 or random(3) end
    for _ = 1, rounds(2000, 400) do
      local list, known = {}, 3
      local function operand() return random(3) == 1 and value() or random(known) end
      for _ = 1, random(25) do
        local name = names[random(#names)]
        local to = random(4) == 1 and operand() or known + 1
        local operation = { name, to, operand(), operand(), operand(), random(3) == 1 and operand() or 0 }
        if name == "LOAD" or name == "LOAD_AT" then
          operation[3], operation[4], operation[5], operation[6] = random(2) - 1, random(2) - 1, random(3), operand()
          known = to > known and to + operation[5] - 1 or known
        elseif name == "STORE" then
          list[#list + 1] = { "STATEMENT", random(3) - 1, #list, 1 }
          operation[2] = random(2) - 1
        elseif to > known and name ~= "STATEMENT" and not name:find "^[EI]" then
          known = to
        end
        list[#list + 1] = operation
      end
      list.values = 40 + random(100)
      if random(2) == 1 then list.result = { operand(), operand() } end
      local ok, operations, _, count = pcall(assign, list)
      if ok then
        accepted = accepted + 1
        assert.is_true(#operations % 6 == 0 and count <= 1024)
      end
    end
    assert.is_true(accepted > 10)
  end)
end)
