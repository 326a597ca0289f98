# Specs, random inputs, sanitizers, coverage, and other systems. Part of the Makefile.

# ---- Specs ----------------------------------------------------------------------------------

.PHONY: test test-now
test: ## run the specs; SPEC=file FILTER=pattern BUILDS=all
	$(SETUP) test cc cxx luajit lua5.1 lua.h busted cjson lfs argparse socket liblua5.1.a libluajit-5.1.a
	$(if $(ALL_RUNS),$(SETUP) test-all cmake pkg-config)
	$(SUBMAKE) test-now
NO_FFI = LUA_INIT='@$(CURDIR)/tools/no_ffi.lua'
# The runs select specs by their tags, which are the folders of a file and the words of its line "-- tags:" (see
# tools/specs.lua; CONTRIBUTING.md lists them). Specs that do not call the module need one build only.
AROUND   = around bench
# Specs of Lua code that calls little C.
IN_LUA   = $(AROUND) pure_lua import
PROGRAMS = hosts examples
# The layers below the binding.
LAYERS   = base entity storage component world resource level
# Specs with a target of their own: make browser, make test-love.
OTHER    = $(if $(SPEC),,browser love)
ALL_RUNS = $(filter all,$(BUILDS))
RELEASE_RUNS = $(filter all release,$(BUILDS))
test-now: $(if $(filter release,$(BUILDS)),,$(TEST) $(call static_of,$(TEST))) $(if $(RELEASE_RUNS),$(RELEASE) $(call static_of,$(RELEASE)))
	@$(FOR_SPECS) $(LUA51) tools/specs.lua \
	    $(if $(filter release,$(BUILDS)),, \
	    "--without $(OTHER) $(if $(filter few,$(BUILDS)),$(AROUND))" \
	    "LuaJIT, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT)" \
	    $(if $(ALL_RUNS),,"--without $(OTHER) once $(if $(filter few,$(BUILDS)),$(AROUND))") \
	    "Lua 5.1, test build: CUTTLE_BUILD=$(BUILD)/test $(LUA51)" \
	    $(if $(filter few,$(BUILDS)),, \
	    "--only $(if $(ALL_RUNS),all,ffi)" \
	    "LuaJIT without JIT, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT) -joff" \
	    "--only ffi" \
	    "LuaJIT without FFI and JIT, test build: $(NO_FFI) CUTTLE_BUILD=$(BUILD)/test $(LUAJIT) -joff" \
	    "LuaJIT that compiles at once, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT) -Ohotloop=1,hotexit=1")) \
	    $(if $(RELEASE_RUNS), \
	    $(if $(ALL_RUNS),"--only all" "--without $(OTHER) $(AROUND)","--only $(LAYERS) ffi") \
	    "LuaJIT$(COMMA) release build: CUTTLE_BUILD=$(BUILD) $(LUAJIT)" \
	    $(if $(ALL_RUNS),"Lua 5.1$(COMMA) release build: CUTTLE_BUILD=$(BUILD) $(LUA51)"))

# Functions that only Lua 5.1 has are defined for the specs. The game runs without them, like other games.
.PHONY: test54 test54-now
test54: ### run specs under Lua 5.4, which has a module of its own, in build/lua5.4
	$(SETUP) test54 cc cxx lua5.1 lua5.4 lua5.4/lua.h liblua5.4.a busted cjson lfs argparse socket
	$(SUBMAKE) BUILD=$(BUILD)/lua5.4 LUA_INCDIR='$(LUA54_INCDIR)' test54-now
LUA_INITS = $(foreach series,5_4 5_5,LUA_INIT_$(series)='@$(CURDIR)/spec/support/lua54.lua')
test54-now: $(TEST) $(call static_of,$(TEST))
	@$(FOR_SPECS) $(LUA_INITS) $(LUA51) tools/specs.lua \
	    "--without $(AROUND) $(OTHER) luajit" \
	    "Lua 5.4, test build: CUTTLE_BUILD=$(BUILD)/test $(LUA54)"
	@$(HERE_TEST) $(LUA54) $(RUN_SCRIPT) >/dev/null

.PHONY: browser browser-now
browser: ### test the inspector's page in a headless Chromium
	$(SETUP) browser cc luajit lua5.1 lua.h busted cjson lfs socket chromium node
	$(SUBMAKE) browser-now
browser-now: $(TEST)
	@$(FOR_SPECS) $(LUA51) tools/specs.lua "--only browser" \
	    "LuaJIT, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT)"

# fresh.sh checks its dependencies itself: it reports if it did not run, and whether that is a failure.
.PHONY: test-fresh
test-fresh: ### call make run and make test once on a minimal Debian 12 (as root)
	-$(SETUP) test-fresh git debootstrap
	@tools/fresh.sh

# ---- Random inputs, and limits -----------------------------------------------------------

# $(call on_each,COMMAND): with the test build, on each interpreter ($$lua) in turn
on_each = ended=0; for lua in '$(LUAJIT)' '$(LUAJIT) -joff' '$(LUA51)'; do \
          $(HERE_TEST) $(1) || ended=1; done; exit $$ended

# Formats whose library is missing are left out, with a message. A run of ten minutes counts as a hang.
.PHONY: fuzz-import fuzz-import-now
fuzz-import: ### damage samples at random and import them; ROUNDS=1500 of each format, SEED=n the first
	$(SETUP) fuzz-import cc luajit lua5.1 lua.h busted cjson lxp
	$(SUBMAKE) fuzz-import-now
fuzz-import-now: $(TEST)
	@mkdir -p $(BUILD)/fuzz
	@$(call on_each,CUTTLE_FUZZ_FOLDER='$(BUILD)/fuzz' timeout -k 10 600 \
	    $$lua spec/fuzz/import.lua --rounds '$(ROUNDS)' $(if $(SEED),--seed '$(SEED)'))

.PHONY: play play-now
play: ### call the whole API at random and compare with a simple model; STEPS=100000, SEED=n the first run
	$(SETUP) play cc luajit lua5.1 lua.h cjson
	$(SUBMAKE) play-now
play-now: $(TEST)
	@$(call on_each,$$lua spec/fuzz/play.lua --steps '$(STEPS)' $(if $(SEED),--seed '$(SEED)'))

# Programs of libFuzzer, a part of clang, with a core whose instrumentation reports the coverage of each input.
.PHONY: fuzz fuzz-now fuzz-programs
fuzz: ### bytes as levels, saves, patches, cells, guided by coverage; TARGET=name, TIME=60 s each
	$(SETUP) fuzz cc clang libfuzzer luajit lua.h cjson liblua5.1.a
	$(SUBMAKE) fuzz-now
FUZZ_TARGETS = $(filter-out scene,$(patsubst spec/fuzz/%.c,%,$(wildcard spec/fuzz/*.c)))
fuzz-now: $(TEST)
	@rm -rf $(BUILD)/fuzz/corpus && mkdir -p $(FUZZ_TARGETS:%=$(BUILD)/fuzz/corpus/%)
	@$(HERE_TEST) $(LUAJIT) spec/fuzz/seeds.lua $(BUILD)/fuzz/corpus
	@$(MAKE) --no-print-directory CC=clang fuzz-programs
	@tools/fuzz.sh $(BUILD)/fuzz '$(TIME)' '$(JOBS)' $(or $(TARGET),$(FUZZ_TARGETS))
FUZZERS = $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)
fuzz-programs: $(FUZZERS)
$(BUILD)/fuzz/lua: LIBRARIES = $(BUILD)/fuzz/libcuttle_lua.a $(BUILD)/fuzz/libcuttle.a \
    $(shell $(CC) -print-file-name=liblua5.1.a) -ldl
$(FUZZERS): $(BUILD)/fuzz/%: spec/fuzz/%.c spec/fuzz/scene.c spec/fuzz/scene.h $(call static_of,$(FUZZ))
	@mkdir -p $(@D)
	@$(if $(V),,echo '  link $@')
	$(Q)$(fuzz_compile) -fsanitize=fuzzer $< $(if $(filter %/lua,$@),,spec/fuzz/scene.c) \
	    $(or $(LIBRARIES),$(BUILD)/fuzz/libcuttle.a) -lm -o $@

.PHONY: limits limits-now
limits: ### reach all limits: 4,194,304 of everything, a level of 1 GB; about 5 GB of memory
	$(SETUP) limits cc luajit lua.h cjson
	$(SUBMAKE) limits-now
limits-now: $(RELEASE)
	@$(HERE) timeout -k 10 900 $(LUAJIT) bench/limits.lua

# ---- Sanitizers, coverage, valgrind ---------------------------------------------------------

# docs/testing.md names the smallest accepted share of lines. The unreached lines are listed.
LEAST_LINES = $(shell sed -n 's/.*at least \([0-9]*\) % of lines.*/\1/p' docs/testing.md | head -n 1)
GCOVR = gcovr --root . --filter 'src/' --exclude-branches-by-pattern '.*CT_ASSERT.*'
.PHONY: coverage coverage-now
coverage: ### count the lines and branches of src that specs reach under Lua 5.1, into build/coverage
	$(SETUP) coverage cc cxx lua5.1 lua.h busted cjson lfs argparse socket gcovr
	$(SUBMAKE) coverage-now
# threads_spec searches for mutable data, which includes the counters of coverage.
coverage-now: $(COVERED) $(call static_of,$(COVERED))
	@find $(BUILD)/obj/coverage -name '*.gcda' -delete
	@ended=0; $(FOR_SPECS) $(LUA51) tools/specs.lua "--without $(IN_LUA) $(OTHER) threads" \
	    "Lua 5.1, counted: CUTTLE_BUILD=$(BUILD)/coverage $(LUA51)" || ended=1; \
	    $(GCOVR) $(BUILD)/obj/coverage --csv $(BUILD)/coverage/files.csv --txt $(BUILD)/coverage/missing.txt \
	    --fail-under-line '$(or $(LEAST_LINES),0)' || ended=1; \
	    $(LUA51) tools/coverage.lua $(BUILD)/coverage/files.csv || ended=1; exit $$ended

# Only valgrind finds uninitialized values in all code. Programs run about thirty times as slowly under it.
.PHONY: memcheck memcheck-now
memcheck: ### run the specs of C under valgrind and Lua 5.1, and under LuaJIT those of memory that its FFI reads
	$(SETUP) memcheck cc cxx luajit lua5.1 lua.h busted cjson lfs valgrind
	$(SUBMAKE) memcheck-now
VALGRIND = valgrind -q --error-exitcode=9
memcheck-now: $(TEST)
	@$(FOR_SPECS) $(LUA51) tools/specs.lua "--without $(IN_LUA) $(PROGRAMS) $(OTHER)" \
	    "Lua 5.1, memcheck: CUTTLE_BUILD=$(BUILD)/test CUTTLE_EMULATED=1 $(VALGRIND) $(LUA51)" \
	    "--only finalizers" "--without" \
	    "LuaJIT, memcheck: CUTTLE_BUILD=$(BUILD)/test CUTTLE_EMULATED=1 CUTTLE_CHECKER='$(VALGRIND)' $(LUAJIT)"

# Only the module is instrumented, not the interpreter, so the runtime must be loaded first.
# Leaks are detected only under Lua 5.1: the detector does not search the memory in which LuaJIT stores its objects,
# so it would report all memory that only a Lua object refers to.
CLANG_ASAN   = libclang_rt.asan-$(firstword $(subst -, ,$(MACHINE))).so
ASAN_LIBRARY = $(shell $(CC) -print-file-name=$(if $(CLANG),$(CLANG_ASAN),libasan.so))
SANITIZED    = CUTTLE_BUILD=$(BUILD)/asan CUTTLE_SANITIZER=1 LD_PRELOAD=$(ASAN_LIBRARY) \
               $(if $(CLANG),LD_LIBRARY_PATH='$(dir $(ASAN_LIBRARY))' CXX='$(subst clang,clang++,$(CC))') \
               UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS=suppressions=$(CURDIR)/tools/lsan.supp:print_suppressions=0
TORTURED     = CUTTLE_BUILD=$(BUILD)/test CUTTLE_TORTURE=1
.PHONY: asan asan-now
asan: ### run the specs under address and undefined-behaviour sanitizers and collector torture; BUILDS=few, all
	$(SETUP) asan cc cxx luajit lua5.1 lua.h busted cjson lfs argparse
	$(if $(CLANG),$(SETUP) asan libfuzzer)
	$(SUBMAKE) asan-now
asan-now: $(ASAN) $(TEST) $(call static_of,$(ASAN) $(TEST))
	@test -f '$(ASAN_LIBRARY)' || { echo "$(CC) has no $(ASAN_LIBRARY): make asan CC=gcc" >&2; exit 1; }
	@$(FOR_SPECS) $(LUA51) tools/specs.lua \
	    "--without $(AROUND) $(OTHER)" \
	    "Lua 5.1, sanitizers: $(SANITIZED) ASAN_OPTIONS=detect_leaks=1 $(LUA51)" \
	    $(if $(BUILDS),"LuaJIT$(COMMA) sanitizers: $(SANITIZED) ASAN_OPTIONS=detect_leaks=0 $(LUAJIT)") \
	    $(if $(filter few,$(BUILDS)),, \
	    "--without $(IN_LUA) $(PROGRAMS) $(OTHER)" \
	    $(if $(ALL_RUNS),"Lua 5.1$(COMMA) collector torture: $(TORTURED) $(LUA51)") \
	    "LuaJIT, collector torture: $(TORTURED) $(LUAJIT)")

# Only the module, the plugins and the host of the spec are instrumented: states share no data.
.PHONY: tsan tsan-now
tsan: ### run Lua states in threads side by side under the thread sanitizer
	$(SETUP) tsan cc cxx lua5.1 lua.h busted cjson lfs liblua5.1.a
	$(SUBMAKE) tsan-now
tsan-now: $(TSAN)
	@TSAN_OPTIONS='halt_on_error=1:suppressions=$(CURDIR)/tools/tsan.supp:print_suppressions=0' \
	    $(FOR_SPECS) $(LUA51) tools/specs.lua "--only threads" \
	    "Lua 5.1, thread sanitizer: CUTTLE_BUILD=$(BUILD)/tsan $(LUA51)"

# ---- Games in LÖVE --------------------------------------------------------------------------

.PHONY: test-love test-love-now
test-love: ### run the specs that start games in LÖVE, on a virtual screen
	$(SETUP) test-love cc luajit lua5.1 lua.h busted cjson lfs love xvfb-run zip unzip
	$(SUBMAKE) test-love-now
test-love-now: $(TEST)
	@$(FOR_SPECS) $(LUA51) tools/specs.lua "--only love" "LuaJIT, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT)"

# ---- Other systems: Windows, 32 bits, ARM64, and the other byte order -----------------------

# Wine is an optional dependency: without it, the target prints that no spec ran.
.PHONY: windows windows-now
windows: ### cross-build the module for 64-bit Windows, run its specs under wine, list the specs that did not run
	$(SETUP) windows gcc $(MINGW)-gcc lua5.1 busted argparse
	-$(SETUP) windows wine64
	$(SUBMAKE) windows-now
windows-now:
	@$(MAKE) --no-print-directory CC=$(MINGW)-gcc BUILD=$(BUILD)/windows all $(BUILD)/windows/test/cuttle/core.dll
	@$(FOR_SPECS) MINGW=$(MINGW) LUA51='$(LUA51)' tools/windows.sh $(BUILD)/windows

# Debian's interpreters and libraries for another architecture are unpacked into a folder of the build, and run
# from there. Nothing is installed. The specs compare the bytes that this host compiles from the levels in
# spec/support/same_bytes.lua with those that the other one compiles.

THERE_PACKAGES = lua5.1 liblua5.1-0-dev lua-busted lua-cjson lua-filesystem lua-argparse libc6-dev
# $(call there,FOLDER): the variables for building the core for that architecture
there = CC='$(abspath $(1))/bin/cc' CXX='$(abspath $(1))/bin/c++' LUA_INCDIR='$(abspath $(1))/root/usr/include/lua5.1'
# $(call run_there,FOLDER[,VARIABLES]): tools/specs.lua of this host, which starts that architecture's programs
run_there = @lua=$$(command -v $(LUA51)) && PATH="$(abspath $(1))/bin:$$PATH" CUTTLE_RUN='$(abspath $(1))/bin/run' \
            CUTTLE_BLOBS='$(1)/blobs' $(FOR_SPECS) $(2) $$lua tools/specs.lua

.PHONY: test32 test32-now
test32: ### run all specs as 32-bit code, under i386 packages unpacked into the build folder
	$(SETUP) test32 cc gcc lua lua5.1 lua.h busted cjson qemu-i386-static
	@tools/foreign.sh i386 $(BUILD)/i386 $(THERE_PACKAGES) luajit
	$(SUBMAKE) $(BUILD)/i386/blobs
	$(SUBMAKE) $(call there,$(BUILD)/i386) BUILD=$(BUILD)/m32 THERE=$(BUILD)/i386 test32-now \
	    EMULATED=$$(tools/foreign.sh runs-i386 || echo CUTTLE_EMULATED=1)
test32-now: $(TEST) $(RELEASE) $(call static_of,$(TEST) $(RELEASE))
	$(if $(EMULATED),@echo "This machine runs no 32-bit code: qemu runs fewer specs and not LuaJIT (it crashes there)")
	$(call run_there,$(THERE),$(if $(EMULATED),BATCH=$(or $(BATCH),8))) \
	    "--without $(OTHER)" $(if $(EMULATED),"--only $(LAYERS) hosts") \
	    "Lua 5.1, 32 bits, test build: CUTTLE_BUILD=$(BUILD)/test $(EMULATED) lua5.1" \
	    $(if $(EMULATED),,"LuaJIT, 32 bits, release build: CUTTLE_BUILD=$(BUILD) luajit")

.PHONY: test-arm64 test-arm64-now
test-arm64: ### run all specs on ARM64, under arm64 packages in qemu
	$(SETUP) test-arm64 cc lua lua5.1 lua.h busted cjson aarch64-linux-gnu-gcc qemu-aarch64-static
	@tools/foreign.sh arm64 $(BUILD)/arm64 $(THERE_PACKAGES) luajit
	$(SUBMAKE) $(BUILD)/arm64/blobs
	$(SUBMAKE) $(call there,$(BUILD)/arm64) BUILD=$(BUILD)/aarch64 THERE=$(BUILD)/arm64 test-arm64-now
test-arm64-now: $(TEST) $(RELEASE) $(call static_of,$(TEST) $(RELEASE))
	$(call run_there,$(THERE),BATCH=$(or $(BATCH),8)) \
	    "--without $(OTHER)" $(if $(filter few,$(BUILDS)),"--only $(LAYERS) hosts") \
	    "Lua 5.1, ARM64, test build: CUTTLE_BUILD=$(BUILD)/test CUTTLE_EMULATED=1 lua5.1" \
	    $(if $(filter few,$(BUILDS)),"--without $(IN_LUA) $(OTHER)" "--only ffi machine") \
	    "LuaJIT, ARM64, release build: CUTTLE_BUILD=$(BUILD) CUTTLE_EMULATED=1 luajit"

.PHONY: test-bigendian test-bigendian-now
test-bigendian: ### run all specs in the other byte order, under s390x packages in qemu
	$(SETUP) test-bigendian cc lua lua5.1 lua.h busted cjson s390x-linux-gnu-gcc qemu-s390x-static
	@tools/foreign.sh s390x $(BUILD)/s390x $(THERE_PACKAGES)
	$(SUBMAKE) $(BUILD)/s390x/blobs
	$(SUBMAKE) $(call there,$(BUILD)/s390x) BUILD=$(BUILD)/bigendian THERE=$(BUILD)/s390x test-bigendian-now
test-bigendian-now: $(TEST) $(call static_of,$(TEST))
	$(call run_there,$(THERE),BATCH=$(or $(BATCH),8)) \
	    "--without $(OTHER) $(if $(filter few,$(BUILDS)),$(IN_LUA) interpreters)" \
	    "Lua 5.1, big-endian, test build: CUTTLE_BUILD=$(BUILD)/test CUTTLE_EMULATED=1 lua5.1"

THERE_BLOBS = $(patsubst %,$(BUILD)/%/blobs,i386 arm64 s390x)
.PHONY: $(THERE_BLOBS)
$(THERE_BLOBS): $(RELEASE)
	@mkdir -p $@
	@$(HERE) $(LUA) -e 'require("spec.support.same_bytes").write "$@"  require("spec.support.same_messages").write "$@"'

# ---- The long checks ------------------------------------------------------------------------

.PHONY: soak
soak: ### other machines, systems and compilers, all rounds of the specs; two hours; ONLY=pattern
	@.ci/soak
