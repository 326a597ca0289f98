-- Runs busted under the interpreter that runs this file. Busted's own command may be a shell script that starts another one.
require "busted.runner"({ standalone = false })
