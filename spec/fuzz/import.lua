-- Damages samples at random and imports them. `make fuzz-import` runs it:
--
--     luajit spec/fuzz/import.lua [--rounds N] [--seed N] [--target NAME]
--
-- Each input has its own seed, SEED + its number. A failure is printed with the command that repeats it, and its input
-- is written to the folder CUTTLE_FUZZ_FOLDER, if that is set. Exits with 1 after a failure.

local fuzz = require "spec.fuzz.fuzz"
local targets = require "spec.fuzz.targets"

local rounds, seed, only = 1000, os.time() % 2 ^ 24 * 64, nil
for index = 1, #arg, 2 do
  local name, value = arg[index], arg[index + 1]
  if name == "--rounds" and tonumber(value) then
    rounds = tonumber(value)
  elseif name == "--seed" and tonumber(value) then
    seed = tonumber(value)
  elseif name == "--target" and value then
    only = value
  else
    io.stderr:write("usage: import.lua [--rounds N] [--seed N] [--target NAME]\n")
    os.exit(2)
  end
end

if not pcall(require, "lxp") then print "fuzz tiled xml: skipped, lua-expat is missing" end
local host = rawget(_G, "jit") and (rawget(_G, "jit").status() and "luajit" or "luajit -joff") or "lua5.1"
local failures = 0
for _, target in ipairs(targets) do
  if not only or only == target.name then
    -- Printed first, in case the process crashes or never ends.
    io.write(("fuzz %s, %s: %d inputs from seed %d\n"):format(target.name, host, rounds, seed))
    io.flush()
    fuzz.run(target, seed, rounds, function(input)
      failures = failures + 1
      io.write(("  %s\n  again: %s spec/fuzz/import.lua --target %q --rounds 1 --seed %d\n"):format(input.trouble, host,
        target.name, input.seed))
      local folder = os.getenv "CUTTLE_FUZZ_FOLDER"
      local file = folder and io.open(("%s/%s-%d"):format(folder, target.name:gsub(" ", "-"), input.seed), "wb")
      if file then
        file:write(input.text)
        file:close()
      end
    end)
  end
end
os.exit(failures == 0 and 0 or 1)
