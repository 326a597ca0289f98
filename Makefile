# Builds, runs and installs cuttle. The files in tools/make, which this one includes, check, measure and pack it.
# `make help` lists the targets of a user, `make help-all` all.

# Beside this file, which bench-compare uses in the folder of another commit. lint.mk reads variables of examples.mk.
PARTS := $(addprefix $(dir $(lastword $(MAKEFILE_LIST)))tools/make/,examples.mk release.mk test.mk lint.mk bench.mk)

# All rules are in these files. Without built-in rules, make starts more than ten times as fast.
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
BUILDS     ?=#  make test: `few` for LuaJIT and Lua 5.1 alone, `release` for the release build, `all` for every run
#                 of both builds; make asan: `few` for sanitizers alone, `all` for every run;
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

# The test build keeps assertions and shrinks sizes, so that rare paths run daily. It has the lines of functions, which
# reports need, but no variables, which take a fifth of the time of a build.
TEST_FLAGS := -O1 -g1 -DCT_TEST=1
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
run: ## play a level as text; LEVEL=file plays another
	$(SETUP) run cc lua lua.h cjson
	$(SUBMAKE) run-now
run-now: $(RELEASE)
	@$(HERE) $(LUA) $(RUN_SCRIPT) $(if $(REWIND),--rewind) $(if $(LEVEL),'$(LEVEL)')

# ---- Libraries for programs -----------------------------------------------------------------

.PHONY: static shared
static: $(call static_of,$(RELEASE)) ## libcuttle.a, the core without Lua; libcuttle_lua.a
shared: $(BUILD)/$(SHARED) ## the core as a shared library, for programs without Lua

# ---- The manual -----------------------------------------------------------------------------

.PHONY: docs docs-now reference
docs: ## build the manual: build/docs
	$(SETUP) docs lua mkdocs mkdocs-material
	$(SUBMAKE) docs-now
docs-now: reference
	@$(LUA) tools/manual.lua pages $(BUILD)/manual
	@mkdocs build --quiet --strict --clean --config-file $(BUILD)/manual/mkdocs.yml --site-dir '$(abspath $(BUILD)/docs)'
	@$(LUA) tools/manual.lua search $(BUILD)/docs
	@! grep -rlE '<(link|script|img|iframe)[^>]* (src|href)="(https?:)?//' --include='*.html' $(BUILD)/docs
	@echo "$(BUILD)/docs/index.html"

# The texts are in lua/cuttle/meta.lua, which editors read, too.
reference: ### write docs/reference from lua/cuttle/meta.lua
	@$(LUA) tools/reference.lua docs/reference

# ---- Installation ---------------------------------------------------------------------------

LUA_FILES = $(shell cd lua && find cuttle -name '*.lua')

# The files of a rock have other paths; files for pkg-config and CMake contain PREFIX.
.PHONY: install install-module
install: install-module ## copy the module and the command to PREFIX (/usr/local)
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
install-static: static shared ## copy libraries and headers for programs to PREFIX
	install -d $(DESTDIR)$(INST_ARCHIVEDIR) $(DESTDIR)$(INST_INCDIR)
	install -m 644 $(call static_of,$(RELEASE)) $(DESTDIR)$(INST_ARCHIVEDIR)
	install -m 755 $(BUILD)/$(SHARED) $(DESTDIR)$(INST_ARCHIVEDIR)/$(SHARED)
	$(if $(WINDOWS),,ln -sf $(SHARED) $(DESTDIR)$(INST_ARCHIVEDIR)/$(SHARED_LINK))
	$(call install_filled,cuttle-core.pc,pkgconfig)
	$(call install_filled,cuttle-host.pc,pkgconfig)
	$(call install_filled,cuttle-lua.pc,pkgconfig)
	$(install_cmake)
	install -m 644 $(PUBLIC_HEADERS) $(DESTDIR)$(INST_INCDIR)

# ---- Others -------------------------------------------------------------------------------

include $(PARTS)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf $(BUILD)

# "## text" after a target is a line of help, "### text" one of help-all alone.
.PHONY: help help-all
help:
	@echo 'make builds $(RELEASE). CC=clang PREFIX=/usr ... set variables.'
	@awk '/^[a-z0-9-]+:.*[^#]## / { \
	        name = $$0; sub(/:.*/, "", name); sub(/.*## /, ""); printf "  make %-16s %s\n", name, $$0 }' Makefile $(PARTS)
help-all: ## list all targets
	@awk '/^# ---- / { gsub(/^# -+ | -+$$/, ""); title = $$0 } \
	    /^[a-z0-9-]+:.*## / { if (title) print "\n" title; title = ""; \
	        name = $$0; sub(/:.*/, "", name); sub(/.*## /, ""); printf "  make %-16s %s\n", name, $$0 }' Makefile $(PARTS)
