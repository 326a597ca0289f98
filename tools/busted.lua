-- Runs busted under the interpreter that runs this file: busted's own command may be a script that starts another.
require "busted.runner"({ standalone = false })
