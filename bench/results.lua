-- Results of benches as CSV and as a table: reads and prints rows. Must not depend on how they were measured.
--
-- A row is a table with a key for each column. Benches print the RESULT columns, bench/run.lua adds the RUN columns:
--   commit, date, machine, flags, host   about the run; host is the interpreter
--   bench, case                          bench/BENCH_bench.c or .lua, and the name of the case
--   memory                               "warm", or "cold": used for the first time
--   items                                the number of items of one run; the following columns are per item
--   rounds, median_ns, best_ns           empty if only the result was checked
--   spread                               the difference of the third and the first quartile, divided by the median
--   limit, limit_ns, x_limit             the case of the limit, its best in the same process, best divided by best
--   bytes, garbage                       bytes held (for a limit: moved), and bytes left for Lua's collector

local results = {}

results.RUN = { "commit", "date", "machine", "flags", "host" }
results.RESULT = { "bench", "case", "memory", "items", "rounds", "median_ns", "best_ns", "spread", "limit", "limit_ns",
  "x_limit", "bytes", "garbage" }
results.ALL = {}
for _, columns in ipairs { results.RUN, results.RESULT } do
  for _, column in ipairs(columns) do results.ALL[#results.ALL + 1] = column end
end

local IS_NUMBER = { items = true, rounds = true, median_ns = true, best_ns = true, spread = true, limit_ns = true,
  x_limit = true, bytes = true, garbage = true }

local function quoted(value)
  if value == nil then return "" end
  if type(value) == "number" then return ("%.6g"):format(value) end
  return value:find '[,"\n]' and '"' .. value:gsub('"', '""') .. '"' or value
end

-- Returns a row as a line of CSV, without a newline.
function results.line(columns, row)
  local words = {}
  for i, column in ipairs(columns) do words[i] = quoted(row[column]) end
  return table.concat(words, ",")
end

local function words_of(line)
  local words, at = {}, 1
  repeat
    local word
    local quote = line:match('^"()', at)
    if quote then
      local last = quote
      while line:sub(last, last + 1) == '""' or line:sub(last, last) ~= '"' do
        if last > #line then return nil end
        last = last + (line:sub(last, last) == '"' and 2 or 1)
      end
      word, at = line:sub(quote, last - 1):gsub('""', '"'), last + 1
    else
      word, at = line:match("^([^,]*)()", at)
    end
    words[#words + 1] = word
    local more = line:sub(at, at) == ","
    at = at + 1
  until not more
  return words
end

-- Returns the row of a line of CSV; nil if it has other columns.
function results.row(columns, line)
  local words, row = words_of(line), {}
  if not words or #words ~= #columns then return nil end
  for i, column in ipairs(columns) do
    if IS_NUMBER[column] then
      row[column] = tonumber(words[i])
      if not row[column] and words[i] ~= "" then return nil end
    elseif words[i] ~= "" then
      row[column] = words[i]
    end
  end
  return row
end

-- Returns the rows of a file, or nil and a message.
function results.read(path)
  local file, message = io.open(path)
  if not file then return nil, message end
  local header = table.concat(results.ALL, ",")
  local rows, number, right = {}, 0, file:read "*l" == header
  for line in file:lines() do
    if not right then break end
    number = number + 1
    rows[number] = results.row(results.ALL, line)
    right = rows[number] ~= nil
  end
  file:close()
  if not right then return nil, ("%s:%d: not a line of bench results"):format(path, number + 1) end
  return rows
end

-- Returns a string that identifies a case.
function results.key(row)
  return ("%s: %s, %s, %.0f"):format(row.bench, row.case, row.memory, row.items)
end

-- ---------------------------------------------------------------- the table

local SHAPE = "%-68s %-4s %8s %10s %10s %7s %8s %8s %9s"

results.HEADER = SHAPE:format("case", "", "items", "median ns", "best ns", "spread", "x limit", "bytes", "garbage B")

local function figure(shape, value)
  return value and shape:format(value) or ""
end

-- Returns a row as a line of the table.
function results.shown(row)
  if not row.median_ns then return ("right  %s, %s, %.0f"):format(row.case, row.memory, row.items) end
  return SHAPE:format(row.case, row.memory, ("%.0f"):format(row.items), figure("%.2f", row.median_ns),
    figure("%.2f", row.best_ns), figure("%.0f %%", row.spread * 100), figure("%.2f", row.x_limit),
    figure("%.1f", row.bytes), figure("%.1f", row.garbage))
end

return results
