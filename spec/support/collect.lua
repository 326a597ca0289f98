-- Collects everything that nobody refers to. Compiled traces hold on to the objects they were recorded with: they go
-- first, or a spec that waits for an object to be collected would depend on what has become hot before it.
return function()
  if rawget(_G, "jit") then jit.flush() end
  for _ = 1, 3 do collectgarbage() end
end
