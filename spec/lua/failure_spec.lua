-- Bad data, for compiler and importers alike.

local failure = require "cuttle.failure"

describe("bad data", function()
  it("becomes nil and a message", function()
    local result, message = failure.guard(function() failure.raise("%s: expected %d", "f", 5) end)
    assert.is_nil(result)
    assert.equal("f: expected 5", message)
  end)

  it("is not what any other error becomes", function()
    assert.has_error(function() failure.guard(error, "bug", 0) end, "bug")
  end)

  it("is text to whoever catches it", function()
    local _, raised = pcall(failure.raise, "half of it")
    assert.is_true(failure.is(raised))
    assert.equal("half of it", tostring(raised))
  end)
end)

describe("a hint", function()
  it("names the nearest, or nothing when none is near", function()
    assert.equal(" (did you mean 'tiles'?)", failure.hint("tilez", { "levels", "tiles" }))
    assert.equal("", failure.hint("zebra", { "levels", "tiles" }))
    assert.equal("", failure.hint("zebra", {}))
  end)

  it("finds it among any number of names, wherever it stands", function()
    for _, place in ipairs { 1, 64, 65, 700, 1000 } do
      local names = {}
      for i = 1, 1000 do names[i] = "number_" .. i end
      names[place] = "tiles"
      assert.equal(" (did you mean 'tiles'?)", failure.hint("tilez", names))
    end
  end)

  it("does not mind what is no name", function()
    assert.equal("", failure.hint({}, { "tiles" }))
    assert.equal("", failure.hint(("tiles"):rep(1000), { "tiles" }))
  end)
end)
