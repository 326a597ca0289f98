-- Prints a table of the coverage of each folder of src, from gcovr's list of files:
--
--     lua tools/coverage.lua files.csv

local folders, names = {}, {}

local function count(name, lines, hit, branches, taken)
  local f = folders[name]
  if not f then
    f = { 0, 0, 0, 0 }
    folders[name], names[#names + 1] = f, name
  end
  for i, number in ipairs { lines, hit, branches, taken } do f[i] = f[i] + number end
end

local file = assert(io.open(arg[1]))
local columns
for line in file:lines() do
  local fields = {}
  for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field:gsub("%s+$", "") end
  if not columns then
    columns = {}
    for i, name in ipairs(fields) do columns[name] = i end
  else
    local path = fields[columns.filename]
    local numbers = {}
    for i, name in ipairs { "line_total", "line_covered", "branch_total", "branch_covered" } do
      numbers[i] = tonumber(fields[columns[name]])
    end
    count(path:match "^(src/bind)/" or path:match "^(.*)/", unpack(numbers))
    count("all", unpack(numbers))
  end
end
file:close()

table.sort(names)
print(("%-16s %8s %8s %10s %8s"):format("", "lines", "reached", "branches", "taken"))
for _, name in ipairs(names) do
  local f = folders[name]
  local lines, branches = 100 * f[2] / f[1], 100 * f[4] / math.max(f[3], 1)
  print(("%-16s %8d %6.1f %% %10d %6.1f %%"):format(name, f[1], lines, f[3], branches))
end
