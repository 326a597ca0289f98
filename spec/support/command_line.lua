-- Shell words: quoting, and the words that start the current interpreter.

local command_line = {}

function command_line.quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- The interpreter of the specs and its options (-joff) as words, without the script.
function command_line.interpreter_words()
  local first, words = 0, {}
  while arg[first - 1] do first = first - 1 end
  for i = first, -1 do
    if arg[i] == "-e" then break end
    words[#words + 1] = arg[i]
  end
  if #words == 0 then words[1] = rawget(_G, "jit") and "luajit" or "lua5.1" end
  return words
end

-- The same as the beginning of a shell command.
function command_line.interpreter()
  local words = command_line.interpreter_words()
  for i, word in ipairs(words) do words[i] = command_line.quoted(word) end
  return table.concat(words, " ")
end

-- Runs a line of Lua in a new process of the same interpreter. Returns the output.
function command_line.run(code)
  local paths = ("package.path, package.cpath = %q, %q "):format("./?.lua;" .. package.path, package.cpath)
  local pipe = io.popen(("%s -e %s 2>&1"):format(command_line.interpreter(), command_line.quoted(paths .. code)))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

return command_line
