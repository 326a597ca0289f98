-- Plays the whole API at random against a simple model (spec/support/play). `make play` runs it:
--
--     luajit spec/fuzz/play.lua [--steps N] [--seed N] [--length N]
--
-- Runs all steps in runs of 'length' steps, each with its own seed. A failed run is printed as a script of a few lines;
-- the other runs continue, and the exit code is 1.

local play = require "spec.support.play"

local MINIMUMS = { 0, 3, 1024 }

local given = { ["--steps"] = 10000, ["--seed"] = os.time() % 2 ^ 24 * 64, ["--length"] = 250 }
for index = 1, #arg, 2 do
  local name, value = arg[index], tonumber(arg[index + 1])
  if not given[name] or not value then
    io.stderr:write("usage: play.lua [--steps N] [--seed N] [--length N]\n")
    os.exit(2)
  end
  given[name] = value
end

local jit = rawget(_G, "jit")
local host = jit and (jit.status() and "luajit" or "luajit -joff") or "lua" .. _VERSION:match "%d%.%d"
local steps, length, seed = given["--steps"], given["--length"], given["--seed"]
-- Printed first, in case the process crashes or never ends.
io.write(("play, %s: %d steps from seed %d\n"):format(host, steps, seed))
io.flush()
local played, failures = 0, 0
while played < steps do
  local options = { seed = seed, steps = math.min(length, steps - played), minimum = MINIMUMS[seed % #MINIMUMS + 1],
    log = os.getenv "CUTTLE_PLAY_LOG" }
  local ok, message = pcall(play.random, options)
  if not ok then
    failures = failures + 1
    io.write(("%s\n  again: %s spec/fuzz/play.lua --steps %d --seed %d\n"):format(message, host, options.steps, seed))
    io.flush()
  end
  played, seed = played + options.steps, seed + 1
end
io.write(("play, %s: %d steps, %d runs failed\n"):format(host, played, failures))
os.exit(failures == 0 and 0 or 1)
