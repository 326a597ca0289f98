local each = require "cuttle.each"

describe("each", function()
  it("visits all keys of a table", function()
    local seen = {}
    for key, value in each, { 10, 20, x = 30 } do seen[key] = value end
    assert.are.same({ 10, 20, x = 30 }, seen)
  end)

  it("returns nil for an empty table", function()
    assert.is_nil(each {})
  end)

  it("visits every key in a loop that is compiled", function()
    local inner = { 1, 2, 3, 4, 5 }
    local outer = { a = inner, b = inner, c = inner, d = inner, e = inner }
    local function wait() for _ = 1, 100 do inner[1] = 1 end end
    for _ = 1, 20000 do
      wait()
      local count = 0
      for _, list in each, outer do
        for _ in each, list do count = count + 1 end
      end
      if count ~= 25 then error("only " .. count .. " of 25") end
    end
  end)
end)
