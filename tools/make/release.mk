# Packages, and the files of a release. Part of the Makefile.

# ---- Packages and releases ------------------------------------------------------------------

.PHONY: amalgamation
CORE_SOURCES = $(filter-out $(OF_LUA:%=src/%),$(SOURCES)) $(foreach folder,$(OF_LUA),$(filter src/$(folder),$(SOURCES)))
amalgamation: ## all sources in two files: build/amalgamation
	@mkdir -p $(BUILD)/amalgamation
	@$(LUA) tools/amalgamate.lua $(BUILD)/amalgamation $(filter-out src/cuttle_lua.h,$(PUBLIC_HEADERS)) -- $(CORE_SOURCES)

# Packages for systems without a compiler here are left out; the others are complete.
.PHONY: release release-now
release: ## all files of a release: build/release
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
dist-binaries: ## modules for Linux and Windows, in one zip
	$(SETUP) dist-binaries cc luajit lua5.1 lua.h zip unzip $(MINGW)-gcc aarch64-linux-gnu-gcc qemu-aarch64-static
	$(SUBMAKE) dist-binaries-now
dist-binaries-now:
	@case '$(MACHINE)' in x86_64-*) ;; *) echo "make dist-binaries: on x86-64 only" >&2; exit 1 ;; esac
	@$(MAKE) --no-print-directory $(SYSTEMS)
	@LUAJIT='$(LUAJIT)' LUA51='$(LUA51)' tools/binaries.sh $(BINARIES) $(BUILD) $(SYSTEMS)

# The package that a game in LÖVE unpacks: the Lua files, and the module for Linux and for Windows.
.PHONY: love-package love-package-now
love-package: ## pack cuttle for games in LÖVE: build/cuttle-love.zip
	$(SETUP) love-package cc lua.h zip $(MINGW)-gcc
	$(SUBMAKE) love-package-now
love-package-now: portable windows-x86_64
	@tools/love_package.sh $(BUILD)/cuttle-love.zip $(PORTABLE) $(BUILD)/windows/cuttle/core.dll

# A library for projects in Defold, whose build server compiles the sources.
.PHONY: defold-package defold-package-now
defold-package: ## pack it for games in Defold: build/cuttle-defold.zip
	$(SETUP) defold-package lua zip
	$(SUBMAKE) defold-package-now
defold-package-now: amalgamation
	@tools/defold_package.sh $(BUILD)/cuttle-defold.zip $(BUILD)/amalgamation

# Works in a checkout and in an unpacked archive. LuaRocks does not support a path relative to the rockspec's folder.
.PHONY: rock
rock: ## pack the sources as a rock: build/*.src.rock
	$(SETUP) rock zip
	@mkdir -p $(BUILD)
	@tar --exclude='./$(BUILD)' --exclude=./build --exclude=./.git --transform 's,^\.,cuttle-$(VERSION),' \
	    --mtime="@$${SOURCE_DATE_EPOCH:-$$(git -c safe.directory='*' log -1 --format=%ct 2>/dev/null || echo 315532800)}" \
	    --mode=u=rwX,go=rX --sort=name --owner=0 --group=0 --numeric-owner -cf - . | \
	    gzip -n9 > $(BUILD)/cuttle-$(VERSION).tar.gz
	@tools/rock.sh $(BUILD) '$(VERSION)' $(BUILD)/cuttle-$(VERSION).tar.gz '$(RELEASE_URL)'

.PHONY: test-rock test-rock-now
test-rock: ### install the rock without root's rights into a user's tree, for Lua 5.1 and 5.4, and run its command
	$(SETUP) test-rock cc luajit lua5.1 lua.h lua5.4 lua5.4/lua.h argparse luarocks zip
	$(SUBMAKE) test-rock-now
test-rock-now: rock
	@tools/try_rock.sh $(BUILD)/cuttle-$(VERSION)-1.src.rock
