-- The seed of random specs: CUTTLE_SEED, or the clock. The name of the describe block should contain it, because every
-- failure shows this name: describe("model, seed " .. seed, ...). CUTTLE_SEED=n then repeats the run.

return tonumber(os.getenv "CUTTLE_SEED") or (os.time() * 1000 + math.floor(os.clock() * 1e6)) % 0x80000000
