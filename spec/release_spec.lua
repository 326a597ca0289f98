-- `make release` without compilers for other systems, in checkouts made for this spec.

-- tags: around once unix

local file = require "spec.support.file"
local folders = require "spec.support.folder"
local quoted = require("spec.support.command_line").quoted

local VERSION = "7.8.9"
local CHANGES = [[
# Changelog

## [Unreleased]

- Not yet.

## [7.8.9] - 2026-01-02

Two changes.

### Added

- One.

## [7.8.8] - 2026-01-01

- Older.
]]

local function shell(line, ...)
  local pipe = io.popen(("{ " .. line .. " ; } 2>&1; echo \"exit $?\""):format(...))
  local text, code = pipe:read("*a"):match "^(.-)exit (%d+)\n$"
  pipe:close()
  return code == "0", text
end

local function run(...)
  local ok, text = shell(...)
  assert.is_true(ok, text)
  return text
end

-- git without the settings of this user.
local GIT = "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -c user.name=a -c user.email=a@a.invalid "
local function commit(folder)
  run("cd %s && git add -A && GIT_COMMITTER_DATE=@1000000000 %scommit -qm change --date=@1000000000",
    quoted(folder), GIT)
end

local missing = not (shell "command -v git" and shell "command -v zip") and "git or zip is not installed"

describe("make release", function()
  local folder, here

  -- Calls make in the folder `name`. The packages with compiled modules are left out.
  local function make(name, environment, arguments)
    return shell("cd %s && umask %s && env -u MAKEFLAGS make -s release-now BUILD=build SYSTEMS= VERSION=%s %s",
      quoted(folder:at(name)), environment, VERSION, arguments or "")
  end

  setup(function()
    if missing then return end
    folder = folders.new()
    folder:make "here"
    here = folder:at "here"
    -- A part of the sources: the others would only take time.
    run("tar -cf - .gitattributes .gitignore LICENSE Makefile *.rockspec bin examples/defold lua src/*.h src/base "
      .. "src/entity tools | tar -xf - -C %s && cd %s && %sinit -q", quoted(here), quoted(here), GIT)
    file.write(here .. "/CHANGELOG.md", CHANGES)
    commit(here)
    run("%sclone -q %s %s", GIT, quoted(here), quoted(folder:at "there"))
  end)
  teardown(function() if folder then folder:remove() end end)

  local function it_(title, test)
    it(title, function()
      if missing then return pending(missing) end
      test()
    end)
  end

  it_("gives the same bytes at any time and place", function()
    local ok, text = make("here", "022; export TZ=UTC", "RELEASE_URL=https://example.org/files")
    assert.is_true(ok, text)
    ok, text = make("there", "077; export TZ=Asia/Tokyo", "RELEASE_URL=https://example.org/files/")
    assert.is_true(ok, text)
    local files = {}
    for name in run("ls %s", quoted(here .. "/build/release")):gmatch "%S+" do
      files[#files + 1] = name
      assert.is_true(folder:read("here/build/release/" .. name) == folder:read("there/build/release/" .. name), name)
    end
    assert.same({ "SHA256SUMS", "cuttle-7.8.9-1.rockspec", "cuttle-7.8.9-1.src.rock",
      "cuttle-7.8.9-amalgamation.tar.gz", "cuttle-7.8.9-defold.zip", "cuttle-7.8.9-notes.md", "cuttle-7.8.9.tar.gz" },
      files)
    assert.matches("NOT BUILT: windows%-x86_64", text)
    run("cd %s && sha256sum --quiet -c SHA256SUMS", quoted(here .. "/build/release"))
  end)

  it_("takes the notes from the version's section of the changelog", function()
    assert.equal("# cuttle 7.8.9\n\nTwo changes.\n\n### Added\n\n- One.\n",
      folder:read "here/build/release/cuttle-7.8.9-notes.md")
  end)

  it_("writes the address of the archive into the rockspec, which is also in the rock", function()
    local release = here .. "/build/release/"
    local spec = file.read(release .. "cuttle-7.8.9-1.rockspec")
    local values = setfenv(assert(loadstring(spec)), {})
    values()
    assert.equal("https://example.org/files/cuttle-7.8.9.tar.gz", getfenv(values).source.url)
    assert.equal("7.8.9-1", getfenv(values).version)
    assert.equal(spec, run("unzip -p %s '*.rockspec'", quoted(release .. "cuttle-7.8.9-1.src.rock")))
    assert.equal(run("ls %s", quoted(release)):match "(cuttle%-7.8.9%.tar%.gz)",
      run("unzip -Z1 %s '*.tar.gz'", quoted(release .. "cuttle-7.8.9-1.src.rock")):gsub("\n", ""))
  end)

  it_("refuses what is not committed", function()
    file.write(here .. "/new", "new")
    local ok, text = shell("cd %s && env -u MAKEFLAGS make -s release", quoted(here))
    os.remove(here .. "/new")
    assert.is_false(ok)
    assert.matches("^make release: there are uncommitted changes, which a release cannot contain\n", text)
  end)

  it_("refuses a version that the changelog does not have", function()
    local ok, text = shell("cd %s && env -u MAKEFLAGS make -s release VERSION=7.8.10", quoted(here))
    assert.is_false(ok)
    assert.matches("^make release: CHANGELOG.md has no section '## %[7.8.10%]'. Move the content of %[Unreleased%] "
      .. "there; for a trial: make release NOTES=Unreleased\n", text)
    run("cd %s && tools/release.sh 7.8.10 Unreleased", quoted(here))
  end)

  it_("refuses a version without notes", function()
    file.write(here .. "/CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [7.8.9] - 2026-01-02\n\n")
    commit(here)
    local ok, text = shell("cd %s && env -u MAKEFLAGS make -s release VERSION=7.8.9", quoted(here))
    assert.is_false(ok)
    assert.matches("^make release: the section '## %[7.8.9%]' of CHANGELOG.md is empty\n", text)
    run("cd %s && tools/release.sh 7.8.9 Unreleased", quoted(here))
  end)

  it_("refuses a folder that is not a checkout", function()
    run("rm -rf %s/.git", quoted(here))
    local ok, text = shell("cd %s && GIT_CEILING_DIRECTORIES=%s env -u MAKEFLAGS make -s release", quoted(here),
      quoted(folder.path))
    assert.is_false(ok)
    assert.matches("^make release: this folder is no git checkout, and a release is made of a commit\n", text)
  end)
end)
