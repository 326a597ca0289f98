#!/bin/sh
# Runs fuzz targets (spec/fuzz) for some seconds each, several at a time, and prints the inputs of each. A failing input
# is kept in FOLDER, with the command that repeats it. Exits with 1 after a failure.
#
# usage: tools/fuzz.sh FOLDER SECONDS AT_A_TIME TARGET...      FOLDER/corpus/TARGET has the seeds of each
set -u
folder=$1 seconds=$2 at_a_time=$3
shift 3

# Inputs with new coverage are kept in FOLDER/grown for the next run.
fuzz_one='
folder=$1 seconds=$2 target=$3
mkdir -p "$folder/grown/$target"
"$folder/$target" -max_total_time="$seconds" -print_final_stats=1 -timeout=20 -rss_limit_mb=3000 -max_len=8192 \
    -artifact_prefix="$folder/$target-" "$folder/grown/$target" "$folder/corpus/$target" \
    >"$folder/$target.log" 2>&1 </dev/null
status=$?
awk -v target="$target" -v seconds="$seconds" "
    /^stat::number_of_executed_units/ { inputs = \$2 }
    { for (i = 1; i < NF; i++) if (\$i == \"cov:\") edges = \$(i + 1) }
    END { printf \"fuzz %s: %d s, %d inputs, %d edges\n\", target, seconds, inputs, edges }" "$folder/$target.log"
[ "$status" -eq 0 ] && exit 0
grep -v "^#[0-9]*[[:space:]]*[A-Z]" "$folder/$target.log" | tail -n 60
sed -n "s|.*Test unit written to \(.*\)|  again: $folder/$target \1|p" "$folder/$target.log"
exit 1
'
printf '%s\n' "$@" | xargs -P "$at_a_time" -I @ sh -c "$fuzz_one" fuzz "$folder" "$seconds" @ || exit 1
