-- Bad data in the compiler and the importers.

local failure = require "cuttle.failure"

describe("bad data", function()
  it("becomes nil and a message", function()
    local result, message = failure.guard(function() failure.raise("%s: expected %d", "f", 5) end)
    assert.is_nil(result)
    assert.equal("f: expected 5", message)
  end)

  it("is distinct from any other error", function()
    assert.has_error(function() failure.guard(error, "bug", 0) end, "bug")
  end)

  it("converts to its message", function()
    local _, raised = pcall(failure.raise, "half of it")
    assert.is_true(failure.is(raised))
    assert.equal("half of it", tostring(raised))
  end)
end)

describe("a hint", function()
  it("names the nearest name, or is empty when no name is near", function()
    assert.equal(" (did you mean 'tiles'?)", failure.hint("tilez", { "levels", "tiles" }))
    assert.equal("", failure.hint("zebra", { "levels", "tiles" }))
    assert.equal("", failure.hint("zebra", {}))
  end)

  it("is found at any place among many names", function()
    for _, place in ipairs { 1, 64, 65, 700, 1000 } do
      local names = {}
      for i = 1, 1000 do names[i] = "number_" .. i end
      names[place] = "tiles"
      assert.equal(" (did you mean 'tiles'?)", failure.hint("tilez", names))
    end
  end)

  it("is empty for a value that is not a name, and for a very long name", function()
    assert.equal("", failure.hint({}, { "tiles" }))
    assert.equal("", failure.hint(("tiles"):rep(1000), { "tiles" }))
  end)
end)
