-- Detection of tools in the Makefile: in the first make, and in the make that it starts after it installed something.

-- tags: around once unix

local folders = require "spec.support.folder"
local makefile = require "spec.support.makefile"
local quoted = require("spec.support.command_line").quoted

-- In the first make nothing is installed; in the second LuaJIT and lua.h are.
local RULES = [[
.PHONY: first second environment link
first:
	@echo "first: LUA=$(LUA) LUA_INCDIR=$(LUA_INCDIR)"
	@touch $(FOLDER)/lua.h $(FOLDER)/luajit && chmod +x $(FOLDER)/luajit
	$(SUBMAKE) -f Makefile -f $(FOLDER)/rules.mk second
second:
	@echo "second: LUA=$(LUA) LUA_INCDIR=$(LUA_INCDIR)"
environment:
	@env
link:
	@echo "link: $(LIBFLAG)"
]]

describe("the Makefile", function()
  local folder

  before_each(function()
    folder = folders.new()
    folder:write("rules.mk", RULES)
  end)
  after_each(function() folder:remove() end)

  -- Runs make with only PATH and `environment` in its environment. Returns the output.
  local function make(environment, arguments, code)
    local line = "env -i PATH=%s %s make --no-print-directory -f Makefile -f %s %s 2>&1; echo \"exit $?\""
    local pipe = io.popen(line:format(quoted(os.getenv "PATH"), environment, folder:at "rules.mk", arguments))
    local output = pipe:read "*a"
    pipe:close()
    assert.matches("exit " .. (code or 0) .. "\n$", output)
    return output
  end

  -- Returns the variables that both makes detect.
  local function detected(environment, arguments)
    local output = make(environment, ("first %s FOLDER=%s LUAJIT=%s LUA51=lua-5.1 LUA_INCDIRS=%s"):format(arguments,
      folder.path, folder:at "luajit", folder.path))
    return output:match "first: ([^\n]*)", output:match "second: ([^\n]*)"
  end

  local function assert_detects_again(environment, arguments)
    local first, second = detected(environment, arguments)
    assert.equal("LUA=lua-5.1 LUA_INCDIR=", first)
    assert.equal(("LUA=%s LUA_INCDIR=%s"):format(folder:at "luajit", folder.path), second)
  end

  local function text_of(path)
    local file = assert(io.open(path))
    local text = file:read "*a"
    file:close()
    return text
  end

  -- The lines of the table in .ci/steps.sh.
  local function soak_steps()
    return text_of(".ci/steps.sh"):match("<<'END'\n(.-)END\n"):gmatch " *(%d+) (%S+) +([^\n]+)\n"
  end

  it("has every target that the checks call", function()
    local rules, targets = "\n" .. makefile, {}
    for _, path in ipairs { ".ci/run", ".ci/soak", ".github/workflows/checks.yml" } do
      for target in text_of(path):gmatch "%f[%w]make[%l_]* (%l[%l%d-]*)" do targets[#targets + 1] = target end
    end
    for _, _, arguments in soak_steps() do targets[#targets + 1] = arguments:match "^%S+" end
    for _, target in ipairs(targets) do
      assert.is_truthy(rules:find("\n" .. target:gsub("%-", "%%-") .. ":"), target)
    end
    assert.is_true(#targets > 40)
  end)

  it("is called by a workflow that names only files that exist", function()
    local count = 0
    for path in text_of(".github/workflows/checks.yml"):gsub("\\", "/"):gmatch "%f[%w.][%l.]+/[%w_/]+%.%l+" do
      if path:match "^%.?%.?/?examples/" or path:match "^tools/" or path:match "^bin/" then
        local file = io.open((path:gsub("^%.%./", "")))
        assert.is_truthy(file, path)
        file:close()
        count = count + 1
      end
    end
    assert.is_true(count > 6)
  end)

  it("aligns libraries for pages of a size, which tools/page_size.sh checks", function()
    local source = folder:write("library.c", "int number = 1;\n")
    for size, code in pairs { [16384] = 0, [65536] = 0, [4096] = 1 } do
      local library = folder:at(size .. ".so")
      local pipe = io.popen(("cc -shared -Wl,-z,max-page-size=%d -o %s %s && tools/page_size.sh 16384 %s 2>&1; echo $?")
        :format(size, library, source, library))
      assert.matches(code == 0 and ": aligned for pages of 16384 bytes\n0\n$"
        or ": a segment is aligned to 4096 bytes, 16384 expected\n1\n$", pipe:read "*a")
      pipe:close()
    end
  end)

  it("has a help of one screen, and a longer one with all targets", function()
    local help, count = make("", "help"):gsub("exit 0\n$", ""):gsub("make%[1%][^\n]*\n", ""), 0
    for line in help:gmatch "([^\n]*)\n" do
      local _, characters = line:gsub("[^\128-\191]", "")
      assert.is_true(characters <= 80, line)
      count = count + 1
      if count > 1 then
        local target, text = line:match "^  make (%l[%l-]*) +(%S.*)$"
        assert.is_truthy(text, line)
        assert.is_truthy(("\n" .. makefile):find("\n" .. target:gsub("%-", "%%-") .. ":"), line)
      end
    end
    assert.is_true(count > 15 and count <= 24)
    local all = make("", "help-all")
    for target in makefile:gmatch "\n(%l[%w-]*):[^\n#]*##" do
      assert.is_truthy(all:find("\n  make " .. target .. " ", 1, true), target)
    end
    for title in makefile:gmatch "%f[^\n]# %-%-%-%- ([^\n]-) %-+\n[^\n]*\n[^#\n]+:[^\n]*##" do
      assert.is_truthy(all:find("\n" .. title .. "\n", 1, true), title)
    end
  end)

  it("is called for changed paths that exist", function()
    for _, paths in soak_steps() do
      for pattern in paths:gmatch "%^[^^]+" do
        local pipe = io.popen("find src lua spec examples tools | grep -E " .. quoted((pattern:gsub("|$", ""))))
        assert.is_truthy(pipe:read(), pattern)
        pipe:close()
      end
    end
  end)

  it("selects specs by tags that CONTRIBUTING.md lists", function()
    local listed, used, variables = {}, 0, 0
    for tag in text_of("CONTRIBUTING.md"):gmatch "\n| `([%l_]+)` |" do listed[tag] = true end
    for path in io.popen("grep -rl --include='*_spec.lua' '^-- tags: ' spec"):lines() do
      for tag in ("\n" .. text_of(path)):match("\n%-%- tags: ([^\n]*)"):gmatch "%S+" do
        assert.is_true(listed[tag], path .. ": " .. tag)
        used = used + 1
      end
    end
    assert.is_true(used > 50)
    for folder_name in io.popen("find src spec lua -type d | sed 's|.*/||'"):lines() do listed[folder_name] = true end
    for name, words in makefile:gmatch "\n([%u_]+) *= ([%l_ $()%u]+)%f[\n]" do
      if name == "AROUND" or name == "IN_LUA" or name == "PROGRAMS" or name == "LAYERS" then
        for tag in words:gsub("%$%b()", ""):gmatch "%S+" do assert.is_true(listed[tag], name .. ": " .. tag) end
        variables = variables + 1
      end
    end
    assert.equal(4, variables)
  end)

  -- Returns the rockspec as a table.
  local function rockspec()
    local chunk = assert(loadfile "cuttle-scm-1.rockspec")
    local result = setfenv(chunk, {})
    result()
    return getfenv(result)
  end

  it("refuses specs that do not exist before it builds", function()
    for _, paths in ipairs { "spec/no_such_spec.lua", "spec/house_spec.lua spec/no_such_spec.lua", "docs" } do
      local output = make("", ("test BUILD=%s SPEC=%s"):format(quoted(folder:at "build"), quoted(paths)), 2)
      assert.matches("^make test: no specs there: SPEC=" .. paths:gsub("%p", "%%%0") .. "\n", output)
      assert.is_nil(output:find "  cc ")
    end
  end)

  it("installs a rock into the folders that LuaRocks names, and nowhere else", function()
    local build, words = rockspec().build, {}
    for name, value in pairs(build.install_variables) do
      words[#words + 1] = quoted(name .. "=" .. value:gsub("%$%(([%w_]+)%)", "/tree/%1"))
    end
    local output, count = make("", "-n " .. (build.install_target or "install") .. " " .. table.concat(words, " ")), 0
    for path in output:match("\n(install .*)"):gmatch " (/[^ ;\n]+)" do
      assert.matches("^/tree/%u+%f[/%z]", path)
      count = count + 1
    end
    assert.is_true(count > 10)
  end)

  it("links modules as the compiler's system requires", function()
    for machine, flags in pairs { ["aarch64-unknown-linux-android24"] = "-shared -Wl,-z,max-page-size=16384",
      ["x86_64-w64-mingw32"] = "-shared -static-libgcc -Wl,--no-insert-timestamp",
      ["arm64-apple-darwin23"] = "-bundle -undefined dynamic_lookup" } do
      local compiler = folder:write("cc", "#!/bin/sh\necho " .. machine .. "\n")
      os.execute("chmod +x " .. quoted(compiler))
      assert.equal(flags, make("", "link CC=" .. quoted(compiler)):match "link: ([^\n]*)")
    end
  end)

  it("links all modules without the functions for programs without Lua", function()
    local count = 0
    for line in make("", "-n portable all BUILD=" .. quoted(folder:at "build")):gmatch "[^\n]+" do
      if line:find "/bind/module/module.o" and line:find "core.so" then
        assert.is_nil(line:find("/host/", 1, true))
        count = count + 1
      end
    end
    assert.is_true(count > 0)
  end)

  it("makes a rock that depends on Lua alone", function()
    for _, dependency in ipairs(rockspec().dependencies) do assert.matches("^lua [<>=~]", dependency) end
  end)

  it("detects again what it has just installed", function()
    assert_detects_again("", "")
  end)

  it("detects variables that are exported but empty", function()
    assert_detects_again("LUA= LUA_INCDIR=", "")
  end)

  it("detects variables that are empty on the command line", function()
    assert_detects_again("", "LUA= LUA_INCDIR=")
    assert.matches("second: LUA=%S", make("LUAJIT= LUA51=", "second"))
  end)

  it("uses the variables that the user has set, in both makes", function()
    for _, how in ipairs { { "LUA=mine LUA_INCDIR=/mine", "" }, { "", "LUA=mine LUA_INCDIR=/mine" } } do
      local first, second = detected(how[1], how[2])
      assert.equal("LUA=mine LUA_INCDIR=/mine", first)
      assert.equal(first, second)
      os.remove(folder:at "lua.h")
      os.remove(folder:at "luajit")
    end
  end)

  it("exports none of its own variables", function()
    local set, any = {}, false
    for name in ("\n" .. makefile):gmatch "\n([%w_]+) *[?:+]?=" do set[name] = true end
    for name in makefile:gmatch "call unless_set,([%w_]+)," do set[name] = true end
    set.MAKEFLAGS = nil -- make itself exports it
    assert.is_true(set.BUILD and set.LUA_INCDIR and set.JOBS)
    for name in make("LUA_INCDIR= JOBS=", "environment"):gmatch "([%w_]+)=[^\n]*" do
      any = true
      assert.is_nil(set[name] and name)
    end
    assert.is_true(any)
  end)
end)

describe("a package", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  local function shell(line, ...)
    local pipe = io.popen(("{ " .. line .. " ; } 2>&1; echo \"exit $?\""):format(...))
    local output = pipe:read "*a"
    pipe:close()
    assert.matches("exit 0\n$", output)
    return output
  end

  it("has the same bytes for the same files at any time and place", function()
    if not io.popen("command -v zip"):read() then return pending "zip is not installed" end
    for name, how in pairs { one = "umask 022; export TZ=UTC", two = "umask 077; export TZ=Asia/Tokyo" } do
      local module = folder:write("core.so", "a module")
      shell("%s; touch -d %s %s; tools/love_package.sh %s %s", how, name == "one" and "2001-01-01" or "2002-02-02",
        quoted(module), quoted(folder:at(name .. ".zip")), quoted(module))
    end
    assert.is_true(folder:read "one.zip" == folder:read "two.zip")
    assert.is_true(#folder:read "one.zip" > 100000)
  end)

  it("has sources with one time and the same modes, as a rock", function()
    if not io.popen("command -v zip"):read() then return pending "zip is not installed" end
    shell("umask 077; env -u MAKEFLAGS SOURCE_DATE_EPOCH=1000000000 make -s rock BUILD=%s", quoted(folder.path))
    local list, count = shell("TZ=UTC tar -tvzf %s/cuttle-*.tar.gz", quoted(folder.path)), 0
    for mode, user, time in list:gmatch "([-%a]+) (%S+) +%d+ (%S+ %S+) cuttle%-" do
      assert.is_true(mode == "drwxr-xr-x" or mode == "-rwxr-xr-x" or mode == "-rw-r--r--", mode)
      assert.same({ "0/0", "2001-09-09 01:46" }, { user, time })
      count = count + 1
    end
    assert.is_true(count > 500)
  end)

  it("depends on the time in SOURCE_DATE_EPOCH", function()
    if not io.popen("command -v zip"):read() then return pending "zip is not installed" end
    folder:make "files"
    folder:write("files/b", "b")
    folder:write("files/a", "a")
    for _, time in ipairs { 1e9, 1e9, 1.1e9 } do
      shell("SOURCE_DATE_EPOCH=%d tools/zip.sh %s %s", time, quoted(folder:at "new.zip"), quoted(folder:at "files"))
      local before, bytes = folder:read "old.zip", folder:read "new.zip"
      if before then assert.equal(time == 1e9, before == bytes) end
      folder:write("old.zip", bytes)
    end
  end)
end)
