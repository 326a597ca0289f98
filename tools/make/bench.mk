# Benches, and comparisons of commits. Part of the Makefile.

# ---- Benches --------------------------------------------------------------------------------

# Each bench is a separate process; bench/run.lua starts them and stores their results.
.PHONY: bench bench-now bench-programs bench-compare bench-compare-now plots plots-now
bench: ## measure; BENCH=name: only that one
	$(SETUP) bench cc lua lua.h cjson
	$(SUBMAKE) bench-now
C_BENCHES   = $(patsubst bench/%_bench.c,%,$(wildcard bench/*_bench.c))
BENCH_NAMES = $(filter-out quick,$(BENCH))
RUN_BENCHES = $(HERE) $(LUA) bench/run.lua --build '$(BUILD)' --flags '$(CC) $(CFLAGS) $(CORE_FLAGS)'
bench-now: bench-programs
	@$(RUN_BENCHES) $(if $(filter quick,$(BENCH)),--quick,--out $(BUILD)/bench/results.csv) $(BENCH_NAMES)

bench-programs: $(RELEASE) $(BUILD)/bench/loops.so \
                $(patsubst %,$(BUILD)/bench/%,$(if $(BENCH_NAMES),$(filter $(C_BENCHES),$(BENCH_NAMES)),$(C_BENCHES)))
# The core without Lua and bind.
CORE_OBJECTS = $(filter-out $(OF_LUA:%=$(BUILD)/obj/release/%),$(release_objects))
$(BUILD)/bench/%: bench/%_bench.c $(wildcard bench/*.h) $(CORE_OBJECTS)
	@mkdir -p $(@D)
	@$(if $(V),,echo '  link $@')
	$(Q)$(CC) $(CFLAGS) $(CORE_FLAGS) -D_POSIX_C_SOURCE=199309L $(WARNINGS) $(filter-out %.h,$^) -lm -o $@
$(BUILD)/bench/loops.so: bench/loops.c $(BUILD)/obj/release/compile.stamp
	@mkdir -p $(@D)
	@$(if $(V),,echo '  link $@')
	$(Q)$(CC) $(CFLAGS) $(CORE_FLAGS) $(WARNINGS) -fvisibility=default -shared $< -o $@

# The commit is unpacked below the build folder and built by this Makefile with the same flags.
bench-compare: ### run the benches of BASE=commit and of this tree in turns, print ratios; TURNS=5, BENCH=name
	$(SETUP) bench-compare cc lua lua.h cjson git
	@$(MAKE) --no-print-directory bench-compare-now
bench-compare-now:
	+@$(LUA) bench/compare.lua --base '$(BASE)' --turns '$(TURNS)' --build '$(BUILD)' --make '$(MAKE) -j$(JOBS)' \
	    $(BENCH_NAMES)

PLOTTED = core simulate hierarchy loops sizes spawn
plots: ### measure from 1,000 to 1,000,000 items and draw docs/plots
	$(SETUP) plots cc lua lua.h cjson gnuplot
	$(SUBMAKE) plots-now
plots-now: bench-programs
	@$(RUN_BENCHES) --out $(BUILD)/bench/plots.csv $(PLOTTED)
	@mkdir -p docs/plots
	@$(LUA) bench/plots.lua $(BUILD)/bench/plots.csv docs/plots
