# Builds, runs and checks cuttle. `make help` lists the targets.

# All rules are in this file. Without built-in rules, make starts more than ten times as fast.
MAKEFLAGS += --no-builtin-rules

# ---- Variables: make CC=clang LUA_INCDIR=/folder/with/lua.h PREFIX=/usr ----------------

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O3
LDFLAGS ?=

# $(eval $(call unless_set,NAME,VALUE)) is for values that make determines. An empty value counts as unset. Such values
# are not exported, because the make that is started after an installation must determine them again.
define unless_set
ifeq ($$(strip $$($(1))),)
override $(1) := $(2)
unexport $(1)
endif
endef

$(eval $(call unless_set,LUAJIT,luajit))
$(eval $(call unless_set,LUA51,lua5.1))
$(eval $(call unless_set,LUA54,lua5.4))
$(eval $(call unless_set,LUA,$(if $(shell command -v $(LUAJIT)),$(LUAJIT),$(LUA51))))

RUN_SCRIPT ?= examples/skirmish/main.lua
LEVEL      ?=#  make run: an LDtk or native level file to play instead of the project's own
REWIND     ?=#  make run: 1 to go back ten seconds at the end and play them again
NET        ?=#  make net: options of examples/net, for example NET='--loss 0.3 --seconds 60'
SPEC       ?=#  make test: spec files, for example SPEC=spec/house_spec.lua
FILTER     ?=#  make test: only specs whose full name matches this Lua pattern
BUILDS     ?=#  make test: `few` for LuaJIT and Lua 5.1 with the test build, `test` for all runs of the test
#                 build, `all` for every run; make asan: `few` for sanitizers alone, `all` for every run;
#                 make test-bigendian, test-arm64: `few` for the specs of the machine's properties
BENCH      ?=#  make bench: `quick` to check the results only, or the names of benches
MINGW      ?= x86_64-w64-mingw32#  make windows, love-package, dist-binaries: the prefix of the cross tools
NOTES      ?= $(VERSION)#  make release: the section of CHANGELOG.md with the notes
RELEASE_URL ?=#  make release, rock: the address of the folder that will contain the archive of the sources
BASE       ?=#  make bench-compare: the commit to compare with
ROUNDS     ?= 1500#  make fuzz-import: number of inputs of each format
STEPS      ?= 100000#  make play: number of steps on each interpreter
SEED       ?=#  make fuzz-import, play: the seed of the first input, or run
TARGET     ?=#  make fuzz: the one target to run
TIME       ?= 60#  make fuzz: seconds for each target
TURNS      ?= 5#  make bench-compare: number of runs of each side

INST_BINDIR ?= $(PREFIX)/bin
INST_LUADIR ?= $(PREFIX)/share/lua/$(LUA_SERIES)
INST_LIBDIR ?= $(PREFIX)/lib/lua/$(LUA_SERIES)
INST_INCDIR ?= $(PREFIX)/include
INST_ARCHIVEDIR ?= $(PREFIX)/lib

# The headers of Lua 5.1 or of LuaJIT: one core.so serves both, because the host has the symbols of Lua. Lua 5.3 and
# 5.4 need a separate core.so: make BUILD=build/lua5.4 LUA_INCDIR=/usr/include/lua5.4
LUA_INCDIRS := $(patsubst -I%,%,$(shell pkg-config --cflags-only-I lua5.1 2>/dev/null || \
                 pkg-config --cflags-only-I luajit 2>/dev/null)) \
               /usr/include/lua5.1 /usr/include/luajit-2.1 /usr/local/include/luajit-2.1
LUA_H       := $(firstword $(wildcard $(addsuffix /lua.h,$(LUA_INCDIRS))))
$(eval $(call unless_set,LUA_INCDIR,$(patsubst %/,%,$(dir $(LUA_H)))))

LUA_SERIES = $(or $(shell awk '$$2 == "LUA_VERSION_NUM" { print substr($$3, 1, 1) "." substr($$3, 3) }' \
               $(LUA_INCDIR)/lua.h 2>/dev/null),5.1)
LUA54_H    := $(firstword $(wildcard /usr/local/include/lua5.4/lua.h) /usr/include/lua5.4/lua.h)
$(eval $(call unless_set,LUA54_INCDIR,$(patsubst %/,%,$(dir $(LUA54_H)))))

# ---- Flags ----------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
            -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wvla
ifneq ($(filter true 1,$(CI) $(WERROR)),)
WARNINGS += -Werror
endif

MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
COMMA   := ,
WINDOWS := $(findstring mingw,$(MACHINE))
WEB     := $(findstring emscripten,$(MACHINE))

# No contraction and no wider intermediate numbers, so that all builds and vector widths give the same bits.
CORE_FLAGS := -std=c99 $(if $(WINDOWS)$(WEB),,-fPIC) $(if $(WEB),-DCT_STATIC=1) -fvisibility=hidden -ffp-contract=off -fno-math-errno \
              -fno-trapping-math \
              $(shell CC='$(CC)' tools/float.sh) -Isrc
CORE_FLAGS += $(if $(LUA_INCDIR),-isystem $(LUA_INCDIR))

# A DLL contains no time, so that the same sources give the same bytes. Android devices may have pages of 16 KB.
FOR_APPLE   := $(if $(findstring apple,$(MACHINE)),-bundle -undefined dynamic_lookup)
FOR_WINDOWS := $(if $(WINDOWS),-shared -static-libgcc -Wl$(COMMA)--no-insert-timestamp)
FOR_ANDROID := $(if $(findstring android,$(MACHINE)),-shared -Wl$(COMMA)-z$(COMMA)max-page-size=16384)
$(eval $(call unless_set,LIBFLAG,$(or $(FOR_APPLE),$(FOR_WINDOWS),$(FOR_ANDROID),-shared)))

# The test build keeps assertions and shrinks sizes, so that rare paths run daily.
TEST_FLAGS := -O1 -g -DCT_TEST=1
CLANG      := $(findstring clang,$(CC))
# clang also reports NULL + 0, the first row of columns without rows. It is harmless, and defined from C2y on.
SANITIZERS := $(TEST_FLAGS) -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
              $(if $(CLANG),-fno-sanitize=pointer-overflow)
ASAN_FLAGS := $(SANITIZERS) $(if $(CLANG),-shared-libasan)
FUZZ_FLAGS := $(SANITIZERS) -fsanitize=fuzzer-no-link
# Lines are not merged. The failing side of assertions is never taken, so gcovr leaves it out of the branches.
COVER_FLAGS := -O0 -g -DCT_TEST=1 --coverage
TSAN_FLAGS := $(TEST_FLAGS) -fno-omit-frame-pointer -fsanitize=thread

Q := $(if $(V),,@)#  V=1 shows whole commands

# ---- The module, in its variants ---------------------------------------------------------------

SOURCES := $(sort $(wildcard src/*/*.c src/*/*/*.c))
HEADERS := $(sort $(wildcard src/*.h src/*/*.h src/*/*/*.h))
# The folders of the module that the core without Lua does not need.
OF_LUA  := system/% bind/%
MODULE  := cuttle/core.$(if $(WINDOWS),dll,so)
RELEASE := $(BUILD)/$(MODULE)
TEST    := $(BUILD)/test/$(MODULE)
ASAN    := $(BUILD)/asan/$(MODULE)
TSAN    := $(BUILD)/tsan/$(MODULE)
FUZZ    := $(BUILD)/fuzz/$(MODULE)
COVERED := $(BUILD)/coverage/$(MODULE)

.PHONY: all
all: $(RELEASE)

# The shared library for programs without Lua. It has another name than the archive, whose inner functions the binding
# needs: -lcuttle must not find it.
HOST_MAJOR  := $(shell awk '$$2 == "CT_HOST_MAJOR" { sub(/u$$/, "", $$3); print $$3 }' src/cuttle_host.h)
SHARED      := $(if $(WINDOWS),cuttle_host-$(HOST_MAJOR).dll,$(if $(FOR_APPLE),libcuttle_host.$(HOST_MAJOR).dylib,libcuttle_host.so.$(HOST_MAJOR)))
SHARED_FLAGS = $(if $(FOR_APPLE),-dynamiclib -install_name @rpath/$(SHARED),$(LIBFLAG) \
               $(if $(WINDOWS),-Wl$(COMMA)--out-implib$(COMMA)$@.a,-Wl$(COMMA)-soname$(COMMA)$(SHARED)))
SHARED_LINK := libcuttle_host.$(if $(FOR_APPLE),dylib,so)

# The output of a failed link would look complete.
.DELETE_ON_ERROR:

define compile_object
@mkdir -p $(@D)
@$(if $(V),,echo '  $(CC) $< ($(1))')
$(Q)$($(1)_compile) -MMD -MP -c $< -o $@
endef

# $(call variant,NAME,LIBRARY,FLAGS). The stamps hold the command lines: when flags, compiler or
# the list of sources change, the dependent files are built again.
define variant
$(1)_objects := $$(SOURCES:src/%.c=$(BUILD)/obj/$(1)/%.o) \
                $(if $(findstring CT_TEST,$(3)),$(BUILD)/obj/$(1)/bind/testing.o)
$(1)_compile := $$(CC) $(3) $$(CORE_FLAGS) $$(WARNINGS)
$(1)_imports  := $(if $(WINDOWS),$(BUILD)/obj/$(1)/liblua51.a)
$(1)_module   := $$(filter-out $(BUILD)/obj/$(1)/host/%,$$($(1)_objects))
$(1)_link      = $$(CC) $(3) $$(LIBFLAG) $$(LDFLAGS) -o $(2) $$($(1)_module) $$($(1)_imports) -lm

$(2): $$($(1)_module) $$($(1)_imports) $(BUILD)/obj/$(1)/link.stamp
	@mkdir -p $$(@D)
	@$(if $(V),,echo '  link $(2)')
	$(Q)$$($(1)_link)
$(BUILD)/obj/$(1)/%.o: src/%.c $(BUILD)/obj/$(1)/compile.stamp
	$$(call compile_object,$(1))
$(BUILD)/obj/$(1)/bind/testing.o: spec/support/testing.c $(BUILD)/obj/$(1)/compile.stamp
	$$(call compile_object,$(1))
$(BUILD)/obj/$(1)/compile.stamp: FORCE
	$$(call check_headers)
	@$$(call stamp,$$($(1)_compile))
$(BUILD)/obj/$(1)/link.stamp: FORCE
	@$$(call stamp,$$($(1)_link))
-include $$($(1)_objects:.o=.d)

# For programs that link everything: the core, which does not depend on Lua, and the binding.
$(2:$(MODULE)=libcuttle.a): $$(filter-out $(OF_LUA:%=$(BUILD)/obj/$(1)/%),$$($(1)_objects))
$(2:$(MODULE)=libcuttle_lua.a): $$(filter $(OF_LUA:%=$(BUILD)/obj/$(1)/%),$$($(1)_objects))
$(2:$(MODULE)=libcuttle.a) $(2:$(MODULE)=libcuttle_lua.a):
	@$(if $(V),,echo '  archive $$@')
	@rm -f $$@ && mkdir -p $$(@D)
	$(Q)$$(AR) rcs $$@ $$^

# The same for programs that load it: it exports the functions of cuttle_host.h. A minor version of that header adds to
# them, so only its major version is in the name.
$(2:$(MODULE)=$(SHARED)): $(2:$(MODULE)=libcuttle.a)
	@$(if $(V),,echo '  link $$@')
	$(Q)$$(CC) $(3) $$(SHARED_FLAGS) $$(LDFLAGS) -o $$@ $$(filter-out $(OF_LUA:%=$(BUILD)/obj/$(1)/%),$$($(1)_objects)) -lm

# Windows needs the name of the program that has the undefined symbols of a module. Lua for Windows is not needed.
$(BUILD)/obj/$(1)/liblua51.a: $$($(1)_module)
	@{ echo 'LIBRARY lua51.dll'; echo EXPORTS; \
	    $(MACHINE)-nm -u $$^ | sed -n 's/^ *U \(luaL*_[a-z]*\)$$$$/    \1/p' | sort -u; } > $$(@:.a=.def)
	$(Q)$(MACHINE)-dlltool -d $$(@:.a=.def) -l $$@
endef

static_of = $(1:$(MODULE)=libcuttle.a) $(1:$(MODULE)=libcuttle_lua.a)

# Touches the stamp only when its text changes.
stamp = mkdir -p $(@D) && echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@

check_headers = $(if $(LUA_INCDIR),,@echo "lua.h of Lua 5.1 or LuaJIT was not found. Debian: apt-get install \
libluajit-5.1-dev. Elsewhere: make LUA_INCDIR=/folder/with/lua.h" >&2; exit 1)

$(eval $(call variant,release,$(RELEASE),$(CFLAGS)))
$(eval $(call variant,test,$(TEST),$(TEST_FLAGS)))
$(eval $(call variant,asan,$(ASAN),$(ASAN_FLAGS)))
$(eval $(call variant,tsan,$(TSAN),$(TSAN_FLAGS)))
$(eval $(call variant,fuzz,$(FUZZ),$(FUZZ_FLAGS)))
$(eval $(call variant,coverage,$(COVERED),$(COVER_FLAGS)))

# The release build for other systems: it needs no glibc newer than 2.14, on ARM64 2.17. With other C libraries it is
# the release build.
GLIBC := $(if $(findstring musl,$(MACHINE))$(findstring android,$(MACHINE)),,$(and \
           $(filter x86_64-% aarch64-%,$(MACHINE)),$(findstring linux,$(MACHINE))))
PORTABLE := $(if $(GLIBC),$(BUILD)/portable/$(MODULE),$(RELEASE))
.PHONY: portable
portable: $(PORTABLE)
ifneq ($(GLIBC),)
$(PORTABLE): $(release_module) tools/old_glibc.c tools/old_glibc.sh $(BUILD)/obj/release/link.stamp
	@mkdir -p $(@D)
	@$(if $(V),,echo '  link $@')
	$(Q)$(CC) $(CFLAGS) -fPIC $(LIBFLAG) $(LDFLAGS) -o $@.new $(release_module) tools/old_glibc.c -lm
	@tools/old_glibc.sh $@.new $(if $(filter x86_64-%,$(MACHINE)),2.14,2.17)
	@mv $@.new $@
endif

.PHONY: FORCE
FORCE:

# ---- Running ----------------------------------------------------------------
# A target first installs its dependencies, then starts make again, because installed programs change the
# variables above. The second make builds TARGET-now.

$(eval $(call unless_set,JOBS,$(shell nproc 2>/dev/null || echo 1)))
SETUP    = @CC='$(CC)' CXX='$(CXX)' LUA='$(LUA)' LUAJIT='$(LUAJIT)' LUA51='$(LUA51)' LUA54='$(LUA54)' \
           LUA_INCDIR='$(LUA_INCDIR)' LUA54_INCDIR='$(LUA54_INCDIR)' tools/setup.sh
SUBMAKE  = @$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
# $(call with_module,FOLDER): the checkout, with the module of that folder
with_module = LUA_PATH="lua/?.lua;lua/?/init.lua;./?.lua;$${LUA_PATH:-;}" LUA_CPATH="$(1)/?.so;$${LUA_CPATH:-;}"
HERE        = $(call with_module,$(BUILD))
HERE_TEST   = $(call with_module,$(BUILD)/test)

# Variables for specs, some of which build plugins. SPEC and FILTER, if set, are in the environment already.
FOR_SPECS = JOBS='$(JOBS)' LUA_INCDIR='$(LUA_INCDIR)'

.PHONY: run run-now
run: ## play a level as text; LEVEL=path plays another LDtk or native level file, REWIND=1 rewinds
	$(SETUP) run cc lua lua.h cjson
	$(SUBMAKE) run-now
run-now: $(RELEASE)
	@$(HERE) $(LUA) $(RUN_SCRIPT) $(if $(REWIND),--rewind) $(if $(LEVEL),'$(LEVEL)')

# ---- Specs ----------------------------------------------------------------------------------

.PHONY: test test-now
test: ## run the specs on LuaJIT and Lua 5.1; SPEC=file FILTER=pattern, BUILDS=all for every run
	$(SETUP) test cc cxx luajit lua5.1 lua.h busted cjson lfs argparse socket liblua5.1.a libluajit-5.1.a
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
test-now: $(TEST) $(call static_of,$(TEST)) $(if $(filter few test,$(BUILDS)),,$(RELEASE) $(call static_of,$(RELEASE)))
	@$(FOR_SPECS) $(LUA51) tools/specs.lua \
	    "--without $(OTHER) $(if $(filter few,$(BUILDS)),$(AROUND))" \
	    "LuaJIT, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT)" \
	    $(if $(ALL_RUNS),,"--without $(OTHER) once $(if $(filter few,$(BUILDS)),$(AROUND))") \
	    "Lua 5.1, test build: CUTTLE_BUILD=$(BUILD)/test $(LUA51)" \
	    $(if $(filter few,$(BUILDS)),, \
	    "--only $(if $(ALL_RUNS),all,ffi)" \
	    "LuaJIT without JIT, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT) -joff" \
	    "--only ffi" \
	    "LuaJIT without FFI and JIT, test build: $(NO_FFI) CUTTLE_BUILD=$(BUILD)/test $(LUAJIT) -joff" \
	    "LuaJIT that compiles at once, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT) -Ohotloop=1,hotexit=1" \
	    $(if $(filter test,$(BUILDS)),, \
	    $(if $(ALL_RUNS),"--only all" "--without $(OTHER) $(AROUND)","--only $(LAYERS) ffi") \
	    "LuaJIT, release build: CUTTLE_BUILD=$(BUILD) $(LUAJIT)" \
	    $(if $(ALL_RUNS),"Lua 5.1$(COMMA) release build: CUTTLE_BUILD=$(BUILD) $(LUA51)")))

# Functions that only Lua 5.1 has are defined for the specs. The game runs without them, like other games.
.PHONY: test54 test54-now
test54: ## run specs under Lua 5.4, which has a module of its own, in build/lua5.4
	$(SETUP) test54 cc cxx lua5.1 lua5.4 lua5.4/lua.h liblua5.4.a busted cjson lfs argparse socket
	$(SUBMAKE) BUILD=$(BUILD)/lua5.4 LUA_INCDIR='$(LUA54_INCDIR)' test54-now
LUA_INITS = $(foreach series,5_4 5_5,LUA_INIT_$(series)='@$(CURDIR)/spec/support/lua54.lua')
test54-now: $(TEST) $(call static_of,$(TEST))
	@$(FOR_SPECS) $(LUA_INITS) $(LUA51) tools/specs.lua \
	    "--without $(AROUND) $(OTHER) luajit" \
	    "Lua 5.4, test build: CUTTLE_BUILD=$(BUILD)/test $(LUA54)"
	@$(HERE_TEST) $(LUA54) $(RUN_SCRIPT) >/dev/null

.PHONY: browser browser-now
browser: ## test the inspector's page in a headless Chromium
	$(SETUP) browser cc luajit lua5.1 lua.h busted cjson lfs socket chromium node
	$(SUBMAKE) browser-now
browser-now: $(TEST)
	@$(FOR_SPECS) $(LUA51) tools/specs.lua "--only browser" \
	    "LuaJIT, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT)"

# fresh.sh checks its dependencies itself: it reports if it did not run, and whether that is a failure.
.PHONY: test-fresh
test-fresh: ## call make run and make test once on a minimal Debian 12 (as root)
	-$(SETUP) test-fresh git debootstrap
	@tools/fresh.sh

# ---- Random inputs, and limits -----------------------------------------------------------

# $(call on_each,COMMAND): with the test build, on each interpreter ($$lua) in turn
on_each = ended=0; for lua in '$(LUAJIT)' '$(LUAJIT) -joff' '$(LUA51)'; do \
          $(HERE_TEST) $(1) || ended=1; done; exit $$ended

# Formats whose library is missing are left out, with a message. A run of ten minutes counts as a hang.
.PHONY: fuzz-import fuzz-import-now
fuzz-import: ## damage samples at random and import them; ROUNDS=1500 of each format, SEED=n the first
	$(SETUP) fuzz-import cc luajit lua5.1 lua.h busted cjson lxp
	$(SUBMAKE) fuzz-import-now
fuzz-import-now: $(TEST)
	@mkdir -p $(BUILD)/fuzz
	@$(call on_each,CUTTLE_FUZZ_FOLDER='$(BUILD)/fuzz' timeout -k 10 600 \
	    $$lua spec/fuzz/import.lua --rounds '$(ROUNDS)' $(if $(SEED),--seed '$(SEED)'))

.PHONY: play play-now
play: ## call the whole API at random and compare with a simple model; STEPS=100000, SEED=n the first run
	$(SETUP) play cc luajit lua5.1 lua.h cjson
	$(SUBMAKE) play-now
play-now: $(TEST)
	@$(call on_each,$$lua spec/fuzz/play.lua --steps '$(STEPS)' $(if $(SEED),--seed '$(SEED)'))

# Programs of libFuzzer, a part of clang, with a core whose instrumentation reports the coverage of each input.
.PHONY: fuzz fuzz-now fuzz-programs
fuzz: ## bytes as levels, saves, patches, cells, guided by coverage; TARGET=name, TIME=60 s each
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
limits: ## reach all limits: 4,194,304 of everything, a level of 1 GB; about 5 GB of memory
	$(SETUP) limits cc luajit lua.h cjson
	$(SUBMAKE) limits-now
limits-now: $(RELEASE)
	@$(HERE) timeout -k 10 900 $(LUAJIT) bench/limits.lua

# ---- Benches --------------------------------------------------------------------------------

# Each bench is a separate process; bench/run.lua starts them and stores their results.
.PHONY: bench bench-now bench-programs bench-compare bench-compare-now plots plots-now
bench: ## measure, into build/bench/results.csv; BENCH=name: only that one, BENCH=quick: only check results
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
bench-compare: ## run the benches of BASE=commit and of this tree in turns, print ratios; TURNS=5, BENCH=name
	$(SETUP) bench-compare cc lua lua.h cjson git
	@$(MAKE) --no-print-directory bench-compare-now
bench-compare-now:
	+@$(LUA) bench/compare.lua --base '$(BASE)' --turns '$(TURNS)' --build '$(BUILD)' --make '$(MAKE) -j$(JOBS)' \
	    $(BENCH_NAMES)

PLOTTED = core simulate hierarchy loops sizes spawn
plots: ## measure from 1,000 to 1,000,000 items and draw docs/plots
	$(SETUP) plots cc lua lua.h cjson gnuplot
	$(SUBMAKE) plots-now
plots-now: bench-programs
	@$(RUN_BENCHES) --out $(BUILD)/bench/plots.csv $(PLOTTED)
	@mkdir -p docs/plots
	@$(LUA) bench/plots.lua $(BUILD)/bench/plots.csv docs/plots

# ---- Linked into programs -------------------------------------------------------------------

# The libraries for programs that link the module, and three such programs: two without Lua, one with Lua.
.PHONY: static shared embed embed-now
static: $(call static_of,$(RELEASE)) ## libcuttle.a, the core without Lua, and libcuttle_lua.a, the binding for it
shared: $(BUILD)/$(SHARED) ## the core as a shared library, with the functions of cuttle_host.h
embed: ## build and run examples/embed: programs with the core, and with the whole module, linked in
	$(SETUP) embed cc lua lua.h cjson argparse liblua$(LUA_SERIES).a
	$(SUBMAKE) embed-now
embed-now: $(BUILD)/embed/host $(BUILD)/embed/main $(BUILD)/embed/scripted $(RELEASE)
	@$(HERE) $(LUA) bin/cuttle compile examples/embed/level.json -o $(BUILD)/embed/level
	$(BUILD)/embed/host $(BUILD)/embed/level
	$(BUILD)/embed/main $(BUILD)/embed/level
	$(HERE) $(BUILD)/embed/scripted examples/embed/script.lua
$(BUILD)/embed/host $(BUILD)/embed/main: $(BUILD)/libcuttle.a
$(BUILD)/embed/scripted: $(BUILD)/libcuttle_lua.a $(BUILD)/libcuttle.a
$(BUILD)/embed/scripted: LIBRARIES = $(shell $(CC) -print-file-name=liblua$(LUA_SERIES).a) -ldl
$(BUILD)/embed/%: examples/embed/%.c
	@mkdir -p $(@D)
	@$(if $(V),,echo '  link $@')
	$(Q)$(CC) $(CFLAGS) $(CORE_FLAGS) $(WARNINGS) $^ $(LIBRARIES) -lm -o $@

# ---- Two machines ----------------------------------------------------------------------------

.PHONY: net net-now
net: ## play examples/net: a server and a client over UDP, with a bad link between them
	$(SETUP) net cc lua lua.h cjson socket
	$(SUBMAKE) net-now
net-now: $(RELEASE)
	@$(HERE) $(LUA) examples/net/client.lua $(NET)

# ---- Pages about editors ---------------------------------------------------------------------

.PHONY: editors editors-now
editors: ## write examples/editors and draw it for docs/editors, next to drawings of Tiled and Blender
	$(SETUP) editors cc luajit lua.h cjson tmxrasterizer blender numpy pngquant
	$(SUBMAKE) editors-now
editors-now: $(RELEASE)
	@$(HERE) $(LUA) examples/editors/main.lua
	@QT_QPA_PLATFORM=offscreen tmxrasterizer --scale 2 examples/editors/cave.tmj docs/editors/tiled-editor.png
	@mkdir -p $(BUILD)/editors
	@blender --background --factory-startup --python-exit-code 1 --python examples/editors/blender.py -- \
	    examples/editors/harbour.gltf '$(abspath $(BUILD))/editors/harbour.png' >$(BUILD)/editors/blender.log 2>&1 || \
	    { cat $(BUILD)/editors/blender.log; exit 1; }
	@pngquant --force --speed 1 --nofs --output docs/editors/gltf-editor.png 64 $(BUILD)/editors/harbour.png

# ---- LÖVE -------------------------------------------------------------------------------------

LOVE ?= love

.PHONY: love love-now love-package love-package-now love-picture love-picture-now test-love test-love-now
love: ## play examples/love in LÖVE
	$(SETUP) love cc lua.h love
	$(SUBMAKE) love-now
love-now: $(RELEASE)
	@$(HERE) $(LOVE) examples/love

# The package that a game unpacks: the Lua files, and the module for Linux and for Windows.
love-package: ## pack cuttle for games in LÖVE, for Linux and Windows: build/cuttle-love.zip
	$(SETUP) love-package cc lua.h zip $(MINGW)-gcc
	$(SUBMAKE) love-package-now
love-package-now: portable windows-x86_64
	@tools/love_package.sh $(BUILD)/cuttle-love.zip $(PORTABLE) $(BUILD)/windows/cuttle/core.dll

# The README's picture: a frame of the demo with a reduced palette.
love-picture: ## take docs/pictures/love.png from the demo of examples/love
	$(SETUP) love-picture cc lua.h love xvfb-run pngquant
	$(SUBMAKE) love-picture-now
love-picture-now: $(RELEASE)
	@mkdir -p $(BUILD)/love docs/pictures
	@$(HERE) XDG_DATA_HOME='$(abspath $(BUILD)/love)' xvfb-run -a -s '-screen 0 1280x800x24' \
	    $(LOVE) examples/love --demo 520 picture
	@pngquant --force --speed 1 --nofs --output docs/pictures/love.png 80 \
	    $(BUILD)/love/love/cuttle-ember-yard/picture.png
	@ls -l docs/pictures/love.png

test-love: ## run the specs that start games in LÖVE, on a virtual screen
	$(SETUP) test-love cc luajit lua5.1 lua.h busted cjson lfs love xvfb-run zip unzip
	$(SUBMAKE) test-love-now
test-love-now: $(TEST)
	@$(FOR_SPECS) $(LUA51) tools/specs.lua "--only love" "LuaJIT, test build: CUTTLE_BUILD=$(BUILD)/test $(LUAJIT)"

# ---- The web -----------------------------------------------------------------------------------
# Shared libraries are not available there: Lua 5.1, the C modules that scripts require, and cuttle become one program:
# for node, which has access to files, and for browsers, in a page that contains the files of the game.

FOR_WEB = CC=emcc AR=emar BUILD='$(BUILD)/wasm' LUA_INCDIR='$(BUILD)/wasm/include' CFLAGS='$(CFLAGS) -msimd128'

.PHONY: wasm wasm-now test-wasm test-wasm-now
wasm: ## build for WebAssembly: build/wasm/lua.js for node, build/wasm/index.html with a game
	$(SETUP) wasm emcc node
	@tools/wasm.sh '$(BUILD)/wasm'
	$(SUBMAKE) $(FOR_WEB) wasm-now
wasm-now: $(BUILD)/lua.js $(BUILD)/index.html

test-wasm: ## run specs as WebAssembly in node, and the page of make wasm in a headless Chromium
	$(SETUP) test-wasm emcc node chromium cc lua5.1 lua.h busted argparse
	@tools/wasm.sh '$(BUILD)/wasm'
	$(SUBMAKE) $(FOR_WEB) test-wasm-now
test-wasm-now: $(BUILD)/test/lua.js $(BUILD)/index.html
	@$(FOR_SPECS) LUA51='$(LUA51)' tools/wasm.sh '$(BUILD)' specs

WEB_LIBRARIES = $(BUILD)/liblua.a
WEB_FLAGS     = $(CFLAGS) -fwasm-exceptions -sSUPPORT_LONGJMP=wasm -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB \
                -sTOTAL_STACK=1MB -sEXIT_RUNTIME=1
define link_web
	@mkdir -p $(@D)
	@$(if $(V),,echo '  link $@')
	$(Q)NODE_PATH=/usr/share/nodejs $(CC) $(WEB_FLAGS) $(CORE_FLAGS) $(WARNINGS) $(filter %.c %.a,$^) $(1) -o $@
endef
$(BUILD)/lua.js: $(call static_of,$(RELEASE))
$(BUILD)/test/lua.js: $(call static_of,$(TEST))
$(BUILD)/lua.js $(BUILD)/test/lua.js: $(BUILD)/liblua.a examples/web/host.c examples/web/node.js
	$(call link_web,-sNODERAWFS=1 --pre-js examples/web/node.js)
$(BUILD)/index.html: $(call static_of,$(RELEASE)) $(BUILD)/liblua.a examples/web/host.c examples/web/page.html \
                     $(wildcard examples/skirmish/*)
	$(call link_web,-sSINGLE_FILE=1 -sMINIFY_HTML=0 --shell-file examples/web/page.html --embed-file lua \
	    --embed-file examples/skirmish)

# ---- Plugins: separate modules that use src/cuttle.h -----------------------------------------

PLUGIN_SOURCES = $(wildcard examples/plugins/*.c examples/plugins/*.cpp)
PLUGINS        = $(patsubst examples/%,$(BUILD)/%.so,$(basename $(PLUGIN_SOURCES)))
define build_plugin
	@mkdir -p $(@D)
	@$(if $(V),,echo '  plugin $@')
	$(Q)CC='$(CC)' CXX='$(CXX)' LUA_INCDIR='$(LUA_INCDIR)' tools/plugin.sh $@ $< $(filter -Werror,$(WARNINGS))
endef

.PHONY: plugins plugins-now plugins-built
plugins: ## build the example plugins and run their scripts
	$(SETUP) plugins cc cxx lua lua.h cjson
	$(SUBMAKE) plugins-now
plugins-now: plugins-built $(RELEASE)
	@for script in examples/plugins/*.lua; do \
	    echo "$$script:" && LUA_CPATH="$(BUILD)/?.so;$(BUILD)/plugins/?.so;$${LUA_CPATH:-;}" \
	    LUA_PATH="lua/?.lua;lua/?/init.lua;$${LUA_PATH:-;}" $(LUA) $$script || exit 1; done
plugins-built: $(PLUGINS)
$(BUILD)/plugins/%.so: examples/plugins/%.c src/cuttle.h tools/plugin.sh
	$(build_plugin)
$(BUILD)/plugins/%.so: examples/plugins/%.cpp src/cuttle.h tools/plugin.sh
	$(build_plugin)

# ---- Checks ---------------------------------------------------------------------------------

C_FILES   = $(shell find src $(wildcard bench examples spec) -name '*.[ch]' -o -name '*.cpp')
TIDIED    = $(SOURCES:src/%.c=$(BUILD)/lint/tidy/%.ok) $(PLUGIN_SOURCES:%=$(BUILD)/lint/tidy/%.ok) \
            $(patsubst %,$(BUILD)/lint/tidy/%.ok,$(wildcard spec/fuzz/*.c spec/support/probe*.c)) \
            $(BUILD)/lint/tidy/testing.ok
LUA_ROOMS = $(wildcard bin/cuttle lua spec bench examples tools)

.PHONY: lint lint-now lint-deep lint-deep-now lint-format lint-lua lint-cppcheck lint-tidy lint-gcc lint-clang \
        lint-msvc lint-rock lint-analyzer
LINT = $(SUBMAKE) --keep-going $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
lint: ## clang-format, luacheck, clang-tidy, rockspec, no warning of clang (CI=true makes those of builds errors)
	$(SETUP) lint cc cxx clang lua.h clang-format clang-tidy luacheck luarocks
	$(LINT) lint-now
lint-now: lint-format lint-lua lint-tidy lint-clang lint-rock
lint-deep: ## cppcheck, gcc's analyzer, no warning of gcc, or of clang as a substitute for Microsoft's compiler
	$(SETUP) lint-deep cc cxx gcc clang lua.h cppcheck
	$(LINT) lint-deep-now
lint-deep-now: lint-cppcheck lint-gcc lint-msvc lint-analyzer

lint-format:
	@clang-format --dry-run -Werror $(C_FILES)
lint-lua:
	@luacheck --quiet --no-color $(LUA_ROOMS)
# Code that may run a finalizer is followed by a second check whether the object is destroyed. The two suppressed
# checks would call one of them redundant.
lint-cppcheck:
	@mkdir -p $(BUILD)/lint/cppcheck
	@cppcheck --quiet --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	    --std=c99 --std=c++11 -DCT_TEST=1 -Isrc -I$(LUA_INCDIR) --suppress='*:$(LUA_INCDIR)/*' \
	    --suppress=nullPointerRedundantCheck --suppress=ctunullpointer \
	    --cppcheck-build-dir=$(BUILD)/lint/cppcheck src examples/plugins spec/support spec/fuzz
define tidy_core
@mkdir -p $(@D)
@clang-tidy --quiet $< -- $(CORE_FLAGS) $(WARNINGS) -DCT_TEST=1 2>$@.log || { cat $@.log; exit 1; }
@touch $@
endef
lint-tidy: $(TIDIED)
$(BUILD)/lint/tidy/testing.ok: spec/support/testing.c $(HEADERS) .clang-tidy
	$(tidy_core)
$(BUILD)/lint/tidy/%.ok: src/%.c $(HEADERS) .clang-tidy
	$(tidy_core)
$(BUILD)/lint/tidy/%.ok: % src/cuttle.h .clang-tidy
	@mkdir -p $(@D)
	@clang-tidy --quiet $< -- $(if $(filter %.cpp,$<),-std=c++11,-std=c99) -Isrc -isystem $(LUA_INCDIR) \
	    2>$@.log || { cat $@.log; exit 1; }
	@touch $@
# Both builds: some of gcc's warnings need the optimiser, some need assertions. clang's need neither.
lint-gcc lint-clang: lint-%:
	@$(MAKE) --no-print-directory CC=$* CXX=$(subst gcc,g++,$(subst clang,clang++,$*)) WERROR=1 \
	    $(if $(filter clang,$*),CFLAGS=-O0) BUILD=$(BUILD)/lint/$* all $(BUILD)/lint/$*/test/cuttle/core.so plugins-built
# clang as a substitute for Microsoft's compiler: it searches headers in the same order. Warnings about extensions of
# GNU that both compilers accept are off.
GNU_ONLY = __attribute__ __extension__ __typeof__ __asm__ __builtin_expect __builtin_prefetch
lint-msvc:
	@clang --target=x86_64-pc-windows-msvc -fms-compatibility -fms-compatibility-version=19.29 -std=c99 \
	    -fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wgnu -Wmicrosoft -Wvla $(GNU_ONLY:%=-D%=only_of_gnu) \
	    -Isrc -nostdlibinc -isystem spec/support/msvc -isystem $(LUA_INCDIR) $(SOURCES)
# gcc's analyzer follows calls and paths within a file. Assertions prevent most of its false reports; WRONG
# turns off the others of a file.
ANALYZED = $(SOURCES:src/%.c=$(BUILD)/lint/analyzer/%.ok)
lint-analyzer: $(ANALYZED)
$(BUILD)/lint/analyzer/%.ok: src/%.c $(HEADERS)
	@mkdir -p $(@D)
	@gcc -O1 -DCT_TEST=1 $(CORE_FLAGS) -fanalyzer -Werror $(WRONG) -c $< -o $(@:.ok=.o)
	@touch $@
# It reports the copy of a struct by memcpy as a copy of its padding.
$(BUILD)/lint/analyzer/bind/value/values.ok: WRONG = -Wno-analyzer-use-of-uninitialized-value
lint-rock:
	@luarocks lint cuttle-scm-1.rockspec

# docs/testing.md names the smallest accepted share of lines. The unreached lines are listed.
LEAST_LINES = $(shell sed -n 's/.*at least \([0-9]*\) % of lines.*/\1/p' docs/testing.md | head -n 1)
GCOVR = gcovr --root . --filter 'src/' --exclude-branches-by-pattern '.*CT_ASSERT.*'
.PHONY: coverage coverage-now
coverage: ## count the lines and branches of src that specs reach under Lua 5.1, into build/coverage
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

# Only valgrind finds uninitialised values in all code. Programs run about thirty times as slowly under it.
.PHONY: memcheck memcheck-now
memcheck: ## run the specs of C under valgrind and Lua 5.1, and under LuaJIT those of memory that its FFI reads
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
asan: ## run the specs under address and undefined-behaviour sanitizers and collector torture; BUILDS=few, all
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
tsan: ## run Lua states in threads side by side under the thread sanitizer
	$(SETUP) tsan cc cxx lua5.1 lua.h busted cjson lfs liblua5.1.a
	$(SUBMAKE) tsan-now
tsan-now: $(TSAN)
	@TSAN_OPTIONS='halt_on_error=1:suppressions=$(CURDIR)/tools/tsan.supp:print_suppressions=0' \
	    $(FOR_SPECS) $(LUA51) tools/specs.lua "--only threads" \
	    "Lua 5.1, thread sanitizer: CUTTLE_BUILD=$(BUILD)/tsan $(LUA51)"

# ---- Other systems: Windows, 32 bits, ARM64, and the other byte order -----------------------

# Wine is an optional dependency: without it, the target prints that no spec ran.
.PHONY: windows windows-now
windows: ## cross-build the module for 64-bit Windows, run its specs under wine, list the specs that did not run
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
test32: ## run all specs as 32-bit code, under i386 packages unpacked into the build folder
	$(SETUP) test32 cc gcc lua lua5.1 lua.h busted cjson
	@tools/foreign.sh i386 $(BUILD)/i386 $(THERE_PACKAGES) luajit
	$(SUBMAKE) $(BUILD)/i386/blobs
	$(SUBMAKE) $(call there,$(BUILD)/i386) BUILD=$(BUILD)/m32 THERE=$(BUILD)/i386 test32-now
test32-now: $(TEST) $(RELEASE) $(call static_of,$(TEST) $(RELEASE))
	$(call run_there,$(THERE)) \
	    "--without $(OTHER)" \
	    "Lua 5.1, 32 bits, test build: CUTTLE_BUILD=$(BUILD)/test lua5.1" \
	    "LuaJIT, 32 bits, release build: CUTTLE_BUILD=$(BUILD) luajit"

.PHONY: test-arm64 test-arm64-now
test-arm64: ## run all specs on ARM64, under arm64 packages in qemu
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
test-bigendian: ## run all specs in the other byte order, under s390x packages in qemu
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

# ---- The manual -----------------------------------------------------------------------------

.PHONY: docs docs-now reference
docs: ## build the manual into build/docs, to be opened from the disk
	$(SETUP) docs lua mkdocs mkdocs-material
	$(SUBMAKE) docs-now
docs-now: reference
	@$(LUA) tools/manual.lua pages $(BUILD)/manual
	@mkdocs build --quiet --strict --clean --config-file $(BUILD)/manual/mkdocs.yml --site-dir '$(abspath $(BUILD)/docs)'
	@$(LUA) tools/manual.lua search $(BUILD)/docs
	@! grep -rlE '<(link|script|img|iframe)[^>]* (src|href)="(https?:)?//' --include='*.html' $(BUILD)/docs
	@echo "$(BUILD)/docs/index.html"

# The texts are in lua/cuttle/meta.lua, which editors read, too.
reference: ## write docs/reference from lua/cuttle/meta.lua
	@$(LUA) tools/reference.lua docs/reference

# ---- Installation and distribution ------------------------------------------------

LUA_FILES = $(shell cd lua && find cuttle -name '*.lua')

# The files of a rock have other paths; files for pkg-config and CMake contain PREFIX.
.PHONY: install install-module
install: install-module ## copy the module and the command to PREFIX (/usr/local), below DESTDIR if given
	$(call install_filled,cuttle.pc,pkgconfig)
	$(install_cmake)
install-module: $(RELEASE)
	install -d $(addprefix $(DESTDIR)$(INST_LUADIR)/,$(sort $(dir $(LUA_FILES)))) $(DESTDIR)$(INST_LIBDIR)/cuttle \
	    $(DESTDIR)$(INST_BINDIR)
	for file in $(LUA_FILES); do install -m 644 lua/$$file $(DESTDIR)$(INST_LUADIR)/$$file || exit 1; done
	install -m 755 $(RELEASE) $(DESTDIR)$(INST_LIBDIR)/cuttle/core.so
	install -m 755 bin/cuttle $(DESTDIR)$(INST_BINDIR)/cuttle
	install -d $(DESTDIR)$(INST_INCDIR)
	install -m 644 src/cuttle.h $(DESTDIR)$(INST_INCDIR)/cuttle.h

# For other builds: pkg-config, and find_package(cuttle) of CMake, with paths relative to PREFIX.
# $(call install_filled,FILE,FOLDER,PATH TO LEAVE OUT)
VERSION        = $(shell awk '$$2 == "CT_VERSION" { gsub(/"/, "", $$3); print $$3 }' src/base/base.h)
LIBDL          = $(if $(filter Linux,$(shell uname -s)),-ldl)
install_filled = install -d $(DESTDIR)$(INST_ARCHIVEDIR)/$(2) && \
    sed -e 's|@PREFIX@|$(PREFIX)|; s|@INCDIR@|$(patsubst $(3)%,%,$(INST_INCDIR))|; s|@VERSION@|$(VERSION)|' \
        -e 's|@ARCHIVEDIR@|$(patsubst $(3)%,%,$(INST_ARCHIVEDIR))|; s|@DL@|$(LIBDL)|' \
        tools/install/$(1).in > $(DESTDIR)$(INST_ARCHIVEDIR)/$(2)/$(1)
define install_cmake
	$(call install_filled,cuttle-config.cmake,cmake/cuttle,$(PREFIX)/)
	$(call install_filled,cuttle-config-version.cmake,cmake/cuttle)
endef

# The public headers, of plugins, of programs without Lua, and of programs with Lua inside.
PUBLIC_HEADERS = $(wildcard src/*.h)

.PHONY: install-static
install-static: static shared ## copy the libraries for programs, and the public headers, to PREFIX
	install -d $(DESTDIR)$(INST_ARCHIVEDIR) $(DESTDIR)$(INST_INCDIR)
	install -m 644 $(call static_of,$(RELEASE)) $(DESTDIR)$(INST_ARCHIVEDIR)
	install -m 755 $(BUILD)/$(SHARED) $(DESTDIR)$(INST_ARCHIVEDIR)/$(SHARED)
	$(if $(WINDOWS),,ln -sf $(SHARED) $(DESTDIR)$(INST_ARCHIVEDIR)/$(SHARED_LINK))
	$(call install_filled,cuttle-core.pc,pkgconfig)
	$(call install_filled,cuttle-host.pc,pkgconfig)
	$(call install_filled,cuttle-lua.pc,pkgconfig)
	$(install_cmake)
	install -m 644 $(PUBLIC_HEADERS) $(DESTDIR)$(INST_INCDIR)

.PHONY: amalgamation
CORE_SOURCES = $(filter-out $(OF_LUA:%=src/%),$(SOURCES)) $(foreach folder,$(OF_LUA),$(filter src/$(folder),$(SOURCES)))
amalgamation: ## put all sources into two files, cuttle.c and cuttle.h, in build/amalgamation
	@mkdir -p $(BUILD)/amalgamation
	@$(LUA) tools/amalgamate.lua $(BUILD)/amalgamation $(filter-out src/cuttle_lua.h,$(PUBLIC_HEADERS)) -- $(CORE_SOURCES)

# Packages for systems without a compiler here are left out; the others are complete.
.PHONY: release release-now
release: ## make all files of a release from the last commit: build/release; NOTES=Unreleased for a trial
	@tools/release.sh '$(VERSION)' '$(NOTES)'
	$(SETUP) release cc lua luajit lua5.1 lua.h git zip unzip
	-$(SETUP) release $(MINGW)-gcc aarch64-linux-gnu-gcc qemu-aarch64-static
	$(SUBMAKE) release-now
release-now: amalgamation defold-package-now
	@$(if $(SYSTEMS),$(MAKE) --no-print-directory dist-binaries-now)
	@$(if $(filter windows-%,$(SYSTEMS)),$(MAKE) --no-print-directory love-package-now)
	@tools/release.sh '$(VERSION)' '$(NOTES)' '$(RELEASE_URL)' $(BUILD)/release $(BUILD)/amalgamation \
	    $(BUILD)/cuttle-defold.zip $(if $(SYSTEMS),$(BINARIES)) \
	    $(if $(filter windows-%,$(SYSTEMS)),$(BUILD)/cuttle-love.zip)
	@$(foreach system,$(filter-out $(SYSTEMS),$(ALL_SYSTEMS)),echo 'NOT BUILT: $(system), without a compiler for it';)

# The systems of the binaries. SYSTEMS are those for which compilers are here; the package for LÖVE needs Windows.
ALL_SYSTEMS = linux-x86_64 linux-arm64 windows-x86_64
SYSTEMS ?= $(if $(filter x86_64-%,$(if $(GLIBC),$(MACHINE))),linux-x86_64 \
             $(and $(shell command -v aarch64-linux-gnu-gcc),$(shell command -v qemu-aarch64-static),linux-arm64) \
             $(and $(shell command -v $(MINGW)-gcc),windows-x86_64))
.PHONY: $(ALL_SYSTEMS)
linux-x86_64: portable
linux-arm64:
	@tools/foreign.sh arm64 $(BUILD)/arm64 $(THERE_PACKAGES) luajit
	@$(MAKE) --no-print-directory $(call there,$(BUILD)/arm64) BUILD=$(BUILD)/aarch64 portable
windows-x86_64:
	@$(MAKE) --no-print-directory CC=$(MINGW)-gcc BUILD=$(BUILD)/windows all

# The interpreters for Windows are those of `make windows`. Prints which modules cannot be loaded here.
.PHONY: dist-binaries dist-binaries-now
BINARIES = $(BUILD)/cuttle-$(VERSION)-binaries.zip
dist-binaries: ## build for Linux (x86-64, ARM64) and Windows, test each: build/cuttle-VERSION-binaries.zip
	$(SETUP) dist-binaries cc luajit lua5.1 lua.h zip unzip $(MINGW)-gcc aarch64-linux-gnu-gcc qemu-aarch64-static
	$(SUBMAKE) dist-binaries-now
dist-binaries-now:
	@case '$(MACHINE)' in x86_64-*) ;; *) echo "make dist-binaries: on x86-64 only" >&2; exit 1 ;; esac
	@$(MAKE) --no-print-directory $(SYSTEMS)
	@LUAJIT='$(LUAJIT)' LUA51='$(LUA51)' tools/binaries.sh $(BINARIES) $(BUILD) $(SYSTEMS)

# A library for projects in Defold, whose build server compiles the sources.
.PHONY: defold-package defold-package-now
defold-package: ## pack cuttle for games in Defold: build/cuttle-defold.zip
	$(SETUP) defold-package lua zip
	$(SUBMAKE) defold-package-now
defold-package-now: amalgamation
	@tools/defold_package.sh $(BUILD)/cuttle-defold.zip $(BUILD)/amalgamation

# Works in a checkout and in an unpacked archive. LuaRocks does not support a path relative to the rockspec's folder.
.PHONY: rock
rock: ## pack the sources of this folder as a source rock: build/cuttle-VERSION-1.src.rock
	$(SETUP) rock zip
	@mkdir -p $(BUILD)
	@tar --exclude='./$(BUILD)' --exclude=./build --exclude=./.git --transform 's,^\.,cuttle-$(VERSION),' \
	    --mtime="@$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}" \
	    --mode=u=rwX,go=rX --sort=name --owner=0 --group=0 --numeric-owner -cf - . | \
	    gzip -n9 > $(BUILD)/cuttle-$(VERSION).tar.gz
	@tools/rock.sh $(BUILD) '$(VERSION)' $(BUILD)/cuttle-$(VERSION).tar.gz '$(RELEASE_URL)'

.PHONY: test-rock test-rock-now
test-rock: ## install the rock without root's rights into a user's tree, for Lua 5.1 and 5.4, and run its command
	$(SETUP) test-rock cc luajit lua5.1 lua.h lua5.4 lua5.4/lua.h argparse luarocks zip
	$(SUBMAKE) test-rock-now
test-rock-now: rock
	@tools/try_rock.sh $(BUILD)/cuttle-$(VERSION)-1.src.rock

# ---- Others -------------------------------------------------------------------------------

.PHONY: soak
soak: ## the long checks: other machines, systems and compilers, all rounds of the specs; two hours
	@.ci/soak

.PHONY: format
format: ## format the C code
	$(SETUP) format clang-format
	@clang-format -i $(C_FILES)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf $(BUILD)

.PHONY: help
help: ## list the targets
	@awk '/^# ---- / { gsub(/^# -+ | -+$$/, ""); title = $$0 } \
	    /^[a-z0-9-]+:.*## / { if (title) print "\n" title; title = ""; \
	        name = $$0; sub(/:.*/, "", name); sub(/.*## /, ""); printf "  make %-16s %s\n", name, $$0 }' Makefile
