# Functions of .ci/run and .ci/soak: the environment of a step, its log, and the closing lines. Read by both.
# shellcheck shell=bash
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
exec </dev/null

unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this
export CI=true # warnings are errors
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CUTTLE_TALLY=$scratch/tally
: >"$CUTTLE_TALLY"
: >"$scratch/steps"
: >"$scratch/failed"
: >"$scratch/left_out"

git_here() { git -c safe.directory='*' "$@" 2>/dev/null; }

# .ci/soaked has a line for each step of the soak that has passed: the commit, and the arguments of make.
soaked=.ci/soaked

# The seed of a step's random inputs comes from the committed files and the step's name: the same files pass or fail
# everywhere and each time, and other files try other inputs. CUTTLE_SEED=n sets the seed of all steps. Without git the
# seed is the clock.
files=$(git_here ls-tree -r HEAD | grep -v "$soaked$")
number_of() { cksum <<<"$1" | cut -d ' ' -f 1; }
seed_of() { [ -z "$files" ] || echo $((($(number_of "$files") + $(number_of "$1")) % 1000000000)); }

# step NAME COMMAND...: runs a command. If it fails, the others still run, and the end of its output is printed again
# after them: of a long log often only the end is kept.
step() {
    local name=$1 start=$SECONDS status=0 log
    shift
    local -x CUTTLE_SEED=${CUTTLE_SEED:-$(seed_of "$name")}
    local -x SEED=$CUTTLE_SEED
    log=$(mktemp "$scratch/log.XXXX")
    printf '\n######## %s%s\n' "$name" "${CUTTLE_SEED:+, CUTTLE_SEED=$CUTTLE_SEED}"
    if "$@" 2>&1 | tee "$log"; then
        echo "######## $name: done in $((SECONDS - start)) s"
    else
        status=1
        echo "######## $name: FAILED after $((SECONDS - start)) s"
        { printf '\n######## step failed: %s\n' "$name" && tail -n 80 "$log"; } >>"$scratch/failed"
    fi
    rm "$log"
    printf '%6d s  %s\n' $((SECONDS - start)) "$name" >>"$scratch/steps"
    return $status
}

# make_step TARGET...: a step that is a call of make
make_step() { step "make $*" make "$@"; }

# aside COMMAND...: runs a step that uses one core beside those that follow. aside_done waits, and prints its output.
aside() { "$@" >"$scratch/aside" 2>&1 & }
aside_done() { wait; cat "$scratch/aside"; }

# Prints the times of all steps, the failed ones, and the closing line: the specs of all interpreters. Returns whether
# all passed.
all_passed() {
    printf '\n######## All steps, in %d s\n' "$SECONDS"
    sort -rn "$scratch/steps"
    cat "$scratch/left_out"
    cat "$scratch/failed"
    awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' \
        "$CUTTLE_TALLY" && [ ! -s "$scratch/failed" ]
}

# ---- The steps of the soak -------------------------------------------------------------------

# A line for each: seconds on two idle cores, the changed paths that concern it as an extended regular expression (- for
# any), and the arguments of make. .ci/run adds those with paths, as far as there is time. The others are run with all
# rounds of the random specs (CUTTLE_LONG).
soak_steps() {
    cat <<'END'
340 ^src/                                                         lint-deep
190 ^src/|^tools/(foreign|float)                                  test32
290 ^src/(base|resource|level)/|^tools/(foreign|float)            test-bigendian BUILDS=few
220 ^src/base/(wide|math)|^src/component/(transform|point_mass)   test-arm64 BUILDS=few
 25 ^src/bind/plugin|^spec/hosts/threads                          tsan
235 ^tools/(windows|elsewhere)|^src/system|^src/bind/value/object windows
255 ^tools/(wasm|elsewhere)|^examples/web/                        test-wasm
 10 ^lua/cuttle/inspector/                                        browser
 25 ^lua/cuttle/love|^examples/love/                              test-love
 90 ^tools/(make/)?(release|rock|binaries|old_glibc|zip|.*_package)|^lua/cuttle/love  release
360 ^spec/fuzz/                                                   fuzz TIME=120
 60 ^lua/cuttle/import/                                           fuzz-import
450 -                                                             test-fresh
450 -                                                             test BUILDS=all
600 -                                                             test BUILDS=few SPEC=spec/lua/formula/oracle_spec.lua CUTTLE_ROUNDS=12
350 -                                                             test BUILDS=few CC=clang BUILD=build/clang
700 -                                                             asan BUILDS=all
350 -                                                             asan BUILDS=few CC=clang BUILD=build/clang
700 -                                                             memcheck
200 -                                                             coverage
160 -                                                             play STEPS=100000
END
}

# changed_since STEP: the files that have changed since it passed, or all files
changed_since() {
    local commit
    commit=$(awk -v step="$1" '{ at = $1; sub(/^[^ ]+ /, "") } $0 == step { print at }' "$soaked" 2>/dev/null)
    if [ -n "$commit" ] && git_here cat-file -e "$commit^{commit}"; then
        git_here diff --name-only "$commit" -- . ":!$soaked"
    else
        git_here ls-files
    fi
}
