# Builds, runs and checks cuttle. `make help` lists the targets.

# ---- What can be set: make CC=clang LUA_INCDIR=/folder/with/lua.h PREFIX=/usr ----------------

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O3
LDFLAGS ?=

LUAJIT  ?= luajit
LUA51   ?= lua5.1
LUA     ?= $(if $(shell command -v $(LUAJIT)),$(LUAJIT),$(LUA51))

RUN_SCRIPT ?= examples/skirmish/main.lua
LEVEL      ?=#  make run: an LDtk or native level file to play instead of the project's own
SPEC       ?=#  make test: spec files, for example SPEC=spec/house_spec.lua
FILTER     ?=#  make test: only specs whose full name matches this Lua pattern
BENCH      ?=#  make bench: `quick` for answers only, names of benches for those alone

INST_LUADIR ?= $(PREFIX)/share/lua/5.1
INST_LIBDIR ?= $(PREFIX)/lib/lua/5.1
INST_INCDIR ?= $(PREFIX)/include

# Either interpreter's headers do: one core.so serves both, its Lua symbols come from the host.
LUA_INCDIRS := $(patsubst -I%,%,$(shell pkg-config --cflags-only-I lua5.1 2>/dev/null || \
                 pkg-config --cflags-only-I luajit 2>/dev/null)) \
               /usr/include/lua5.1 /usr/include/luajit-2.1 /usr/local/include/luajit-2.1
LUA_INCDIR  ?= $(patsubst %/,%,$(dir $(firstword $(wildcard $(addsuffix /lua.h,$(LUA_INCDIRS))))))

# ---- Flags ----------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
            -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wvla
ifneq ($(filter true 1,$(CI) $(WERROR)),)
WARNINGS += -Werror
endif

# No contraction and no x87: every build and every vector width gives the same bits.
CORE_FLAGS := -std=c99 -fPIC -fvisibility=hidden -ffp-contract=off -Isrc
ifneq ($(filter i386% i486% i586% i686%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
CORE_FLAGS += -msse2 -mfpmath=sse
endif
CORE_FLAGS += $(if $(LUA_INCDIR),-isystem $(LUA_INCDIR))

ifeq ($(shell uname -s),Darwin)
LIBFLAG ?= -bundle -undefined dynamic_lookup
else
LIBFLAG ?= -shared
endif

# The test build keeps assertions and shrinks sizes, so that rare paths run daily.
TEST_FLAGS := -O1 -g -DCT_TEST=1
ASAN_FLAGS := $(TEST_FLAGS) -fno-omit-frame-pointer \
              -fsanitize=address,undefined -fno-sanitize-recover=all

Q := $(if $(V),,@)#  V=1 shows whole commands

# ---- The core, in three variants ------------------------------------------------------------

SOURCES := $(sort $(wildcard src/*/*.c))
HEADERS := $(sort $(wildcard src/*.h src/*/*.h))
RELEASE := $(BUILD)/cuttle/core.so
TEST    := $(BUILD)/test/cuttle/core.so
ASAN    := $(BUILD)/asan/cuttle/core.so

.PHONY: all
all: $(RELEASE)

# $(call variant,NAME,LIBRARY,FLAGS). The stamps hold the command lines: when flags, compiler or
# the list of sources change, what depends on them is built again.
define variant
$(1)_objects := $$(SOURCES:src/%.c=$(BUILD)/obj/$(1)/%.o)
$(1)_compile := $$(CC) $(3) $$(CORE_FLAGS) $$(WARNINGS)
$(1)_link     = $$(CC) $(3) $$(LIBFLAG) $$(LDFLAGS) -o $(2) $$($(1)_objects) -lm

$(2): $$($(1)_objects) $(BUILD)/obj/$(1)/link.stamp
	@mkdir -p $$(@D)
	@$(if $(V),,echo '  link $(2)')
	$(Q)$$($(1)_link)
$(BUILD)/obj/$(1)/%.o: src/%.c $(BUILD)/obj/$(1)/compile.stamp
	@mkdir -p $$(@D)
	@$(if $(V),,echo '  $$(CC) $$< ($(1))')
	$(Q)$$($(1)_compile) -MMD -MP -c $$< -o $$@
$(BUILD)/obj/$(1)/compile.stamp: FORCE
	$$(call check_headers)
	@$$(call stamp,$$($(1)_compile))
$(BUILD)/obj/$(1)/link.stamp: FORCE
	@$$(call stamp,$$($(1)_link))
-include $$($(1)_objects:.o=.d)
endef

# Touches the stamp only when its text changes.
stamp = mkdir -p $(@D) && echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@

check_headers = $(if $(LUA_INCDIR),,@echo "lua.h of Lua 5.1 or LuaJIT was not found. Debian: apt-get install \
liblua5.1-0-dev. Elsewhere: make LUA_INCDIR=/folder/with/lua.h" >&2; exit 1)

$(eval $(call variant,release,$(RELEASE),$(CFLAGS)))
$(eval $(call variant,test,$(TEST),$(TEST_FLAGS)))
$(eval $(call variant,asan,$(ASAN),$(ASAN_FLAGS)))

.PHONY: FORCE
FORCE:

.PHONY: clean
clean: ## remove everything that was built
	rm -rf $(BUILD)
