-- Collects all garbage. Compiled traces keep the objects they were recorded with alive, so they are flushed first;
-- otherwise a spec would depend on the traces of earlier specs.
return function()
  if rawget(_G, "jit") then jit.flush() end
  for _ = 1, 3 do collectgarbage() end
end
