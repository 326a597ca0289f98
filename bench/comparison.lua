-- Comparison of the results of two sides. Must not depend on how they were measured.

local harness = require "bench.harness"
local results = require "bench.results"

local comparison = {}

-- `turns`: a list of { base = rows, here = rows }. Returns the cases that both sides have, in the order of the rows:
-- each with key and row, the best of each side in nanoseconds, and the median, lowest and highest ratio here / base of
-- the turns. Also returns the keys of the cases that only one side has, { base = {}, here = {} }.
function comparison.of(turns)
  local cases, by_key = {}, {}
  for i, turn in ipairs(turns) do
    for _, side in ipairs { "base", "here" } do
      for _, row in ipairs(turn[side]) do
        local key = results.key(row)
        local case = by_key[key]
        if not case then
          case = { key = key, row = row, base = {}, here = {} }
          by_key[key], cases[#cases + 1] = case, case
        end
        case[side][i] = row.best_ns
      end
    end
  end
  local both, alone = {}, { base = {}, here = {} }
  for _, case in ipairs(cases) do
    local ratios, best = {}, { base = math.huge, here = math.huge }
    for i = 1, #turns do
      for side, least in pairs(best) do best[side] = math.min(least, case[side][i] or math.huge) end
      if case.base[i] and case.here[i] and case.base[i] > 0 then ratios[#ratios + 1] = case.here[i] / case.base[i] end
    end
    table.sort(ratios)
    if #ratios > 0 then
      both[#both + 1] = { key = case.key, row = case.row, base_ns = best.base, here_ns = best.here,
        ratio = harness.median(ratios), lowest = ratios[1], highest = ratios[#ratios] }
    elseif not next(case.base) then
      table.insert(alone.here, case.key)
    elseif not next(case.here) then
      table.insert(alone.base, case.key)
    end
  end
  return both, alone
end

local SHAPE = "%-68s %-4s %8s %10s %10s %6s  %s"

comparison.HEADER = SHAPE:format("case", "", "items", "base ns", "here ns", "ratio", "of the turns")

-- Returns the line of a case that both sides have. It is marked if all turns differ by more than 3 % in one direction.
function comparison.shown(case)
  local row = case.row
  local mark = case.highest < 0.97 and "  faster" or case.lowest > 1.03 and "  SLOWER" or ""
  return SHAPE:format(row.bench .. ": " .. row.case, row.memory, ("%.0f"):format(row.items),
    ("%.2f"):format(case.base_ns), ("%.2f"):format(case.here_ns), ("%.2f"):format(case.ratio),
    ("%.2f to %.2f%s"):format(case.lowest, case.highest, mark))
end

return comparison
