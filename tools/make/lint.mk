# Checks of the sources, and their format. Part of the Makefile.

# ---- Checks of the sources ------------------------------------------------------------------

C_FILES   = $(shell find src $(wildcard bench examples spec) -name '*.[ch]' -o -name '*.cpp')
TIDIED    = $(SOURCES:src/%.c=$(BUILD)/lint/tidy/%.ok) $(PLUGIN_SOURCES:%=$(BUILD)/lint/tidy/%.ok) \
            $(patsubst %,$(BUILD)/lint/tidy/%.ok,$(wildcard spec/fuzz/*.c spec/support/probe*.c)) \
            $(BUILD)/lint/tidy/testing.ok
LUA_ROOMS = $(wildcard bin/cuttle lua spec bench examples tools)

.PHONY: lint lint-now lint-deep lint-deep-now lint-format lint-lua lint-cppcheck lint-tidy lint-gcc lint-clang \
        lint-msvc lint-rock lint-analyzer
LINT = $(SUBMAKE) --keep-going $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
lint: ## format, luacheck, clang-tidy, warnings of clang
	$(SETUP) lint cc cxx clang lua.h clang-format clang-tidy luacheck luarocks
	$(LINT) lint-now
lint-now: lint-format lint-lua lint-tidy lint-clang lint-rock
lint-deep: ### cppcheck, the analyzers of gcc and clang, no warning of gcc, or of clang in place of Microsoft's compiler
	$(SETUP) lint-deep cc cxx gcc clang lua.h clang-tidy cppcheck
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
# clang's analyzer takes most of the time of clang-tidy, so it is a part of lint-deep.
TIDY = clang-tidy --quiet --checks='-clang-analyzer-*'
define tidy_core
@mkdir -p $(@D)
@$(TIDY) $< -- $(CORE_FLAGS) $(WARNINGS) -DCT_TEST=1 2>$@.log || { cat $@.log; exit 1; }
@touch $@
endef
lint-tidy: $(TIDIED)
$(BUILD)/lint/tidy/testing.ok: spec/support/testing.c $(HEADERS) .clang-tidy
	$(tidy_core)
$(BUILD)/lint/tidy/%.ok: src/%.c $(HEADERS) .clang-tidy
	$(tidy_core)
$(BUILD)/lint/tidy/%.ok: % src/cuttle.h .clang-tidy
	@mkdir -p $(@D)
	@$(TIDY) $< -- $(if $(filter %.cpp,$<),-std=c++11,-std=c99) -Isrc -isystem $(LUA_INCDIR) \
	    2>$@.log || { cat $@.log; exit 1; }
	@touch $@
# Both builds: some of gcc's warnings need the optimizer, some need assertions. clang's need neither.
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
# Both analyzers follow calls and paths within a file. Assertions prevent most of their false reports. WRONG turns off
# warnings of gcc's analyzer for a file.
ANALYZED = $(SOURCES:src/%.c=$(BUILD)/lint/analyzer/%.ok)
lint-analyzer: $(ANALYZED)
$(BUILD)/lint/analyzer/%.ok: src/%.c $(HEADERS)
	@mkdir -p $(@D)
	@gcc -O1 -DCT_TEST=1 $(CORE_FLAGS) -fanalyzer -Werror $(WRONG) -c $< -o $(@:.ok=.o)
	@clang-tidy --quiet --checks='-*,clang-analyzer-*,-*BufferHandling' $< -- $(CORE_FLAGS) -DCT_TEST=1 2>$@.log || \
	    { cat $@.log; exit 1; }
	@touch $@
# gcc reports the copy of a struct by memcpy as a copy of its padding.
$(BUILD)/lint/analyzer/bind/value/values.ok: WRONG = -Wno-analyzer-use-of-uninitialized-value
lint-rock:
	@luarocks lint cuttle-scm-1.rockspec

.PHONY: format
format: ### format the C code
	$(SETUP) format clang-format
	@clang-format -i $(C_FILES)
