-- Formulas from operations that a spec writes by hand, without the language.

local core = require "cuttle.core"

local lists = {}

-- Turns { { "ADD", 1, 2, 3 }, ... } into the flat list of core.formula.new.
function lists.operations(list)
  local flat = {}
  for _, operation in ipairs(list) do
    flat[#flat + 1] = assert(core.formula.operations[operation[1]], operation[1])
    for k = 2, 6 do flat[#flat + 1] = operation[k] or 0 end
  end
  return flat
end

-- Makes a formula of a query. `program` may lack lists; its operations are as above.
function lists.formula(query, program)
  return core.formula.new(query, {
    constants = program.constants or {}, parameters = program.parameters or {}, fields = program.fields or {},
    components = program.components or {}, registers = program.registers or 40, result = program.result,
    operations = lists.operations(program),
  })
end

return lists
