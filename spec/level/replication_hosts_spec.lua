-- Messages compared with those of another host. make test32 and make test-bigendian provide the other host's messages.

-- tags: machine

local same_messages = require "spec.support.same_messages"

local FOLDER = os.getenv "CUTTLE_BLOBS"
local BEHIND_SESSION = 17 -- first byte after magic, checksum and session

describe("a subscriber", function()
  it("has the same state after the same messages", function()
    local list = same_messages.messages()
    assert.equal(same_messages.apply(list), same_messages.apply(list))
  end)

  if not FOLDER then return end

  it("applies the messages of another host", function()
    local theirs, hash = same_messages.read(FOLDER)
    assert.equal(hash, same_messages.apply(theirs))
  end)

  it("receives the same bytes from a publisher on another host", function()
    local ours, theirs = same_messages.messages(), same_messages.read(FOLDER)
    assert.equal(#ours, #theirs)
    for number, message in ipairs(ours) do
      assert.is_true(message:sub(BEHIND_SESSION) == theirs[number]:sub(BEHIND_SESSION), "message " .. number)
    end
  end)
end)
