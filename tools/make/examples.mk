# The programs, games and plugins of examples. Part of the Makefile.

# ---- Linked into programs -------------------------------------------------------------------

# Three programs that link the module: two without Lua, one with Lua.
.PHONY: embed embed-now
embed: ## build and run programs with cuttle linked in
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
net: ### play examples/net: a server and a client over UDP, with a bad link between them
	$(SETUP) net cc lua lua.h cjson socket
	$(SUBMAKE) net-now
net-now: $(RELEASE)
	@$(HERE) $(LUA) examples/net/client.lua $(NET)

# ---- Pages about editors ---------------------------------------------------------------------

.PHONY: editors editors-now
editors: ### write examples/editors and draw it for docs/editors, next to drawings of Tiled and Blender
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

.PHONY: love love-now love-picture love-picture-now
love: ## play examples/love in LÖVE
	$(SETUP) love cc lua.h love
	$(SUBMAKE) love-now
love-now: $(RELEASE)
	@$(HERE) $(LOVE) examples/love

# The README's picture: a frame of the demo with a reduced palette.
love-picture: ### take docs/pictures/love.png from the demo of examples/love
	$(SETUP) love-picture cc lua.h love xvfb-run pngquant
	$(SUBMAKE) love-picture-now
love-picture-now: $(RELEASE)
	@mkdir -p $(BUILD)/love docs/pictures
	@$(HERE) XDG_DATA_HOME='$(abspath $(BUILD)/love)' xvfb-run -a -s '-screen 0 1280x800x24' \
	    $(LOVE) examples/love --demo 520 picture
	@pngquant --force --speed 1 --nofs --output docs/pictures/love.png 80 \
	    $(BUILD)/love/love/cuttle-ember-yard/picture.png
	@ls -l docs/pictures/love.png

# ---- The web -----------------------------------------------------------------------------------
# Shared libraries are not available there: Lua 5.1, the C modules that scripts require, and cuttle become one program:
# for node, which has access to files, and for browsers, in a page that contains the files of the game.

FOR_WEB = CC=emcc AR=emar BUILD='$(BUILD)/wasm' LUA_INCDIR='$(BUILD)/wasm/include' CFLAGS='$(CFLAGS) -msimd128'

.PHONY: wasm wasm-now test-wasm test-wasm-now
wasm: ## build for WebAssembly: build/wasm
	$(SETUP) wasm emcc node
	@tools/wasm.sh '$(BUILD)/wasm'
	$(SUBMAKE) $(FOR_WEB) wasm-now
wasm-now: $(BUILD)/lua.js $(BUILD)/index.html

test-wasm: ### run specs as WebAssembly in node, and the page of make wasm in a headless Chromium
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
