-- The seed of random specs: CUTTLE_SEED, or the clock. Put it into the name of the describe block, which every failure
-- shows: describe("model, seed " .. seed, ...). Then CUTTLE_SEED=that replays the run.

return tonumber(os.getenv "CUTTLE_SEED") or (os.time() * 1000 + math.floor(os.clock() * 1e6)) % 0x80000000
