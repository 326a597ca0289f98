-- The seed of random specs: CUTTLE_SEED, or the clock. Put it in the name of the describe block, where every failure shows it:
-- describe("model, seed " .. seed, ...); then CUTTLE_SEED=<it> replays the run.

return tonumber(os.getenv "CUTTLE_SEED") or (os.time() * 1000 + math.floor(os.clock() * 1e6)) % 2^31
