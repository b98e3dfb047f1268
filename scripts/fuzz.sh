#!/usr/bin/env bash
# Runs the targets of build/fuzz one after the other, FUZZ_SECONDS each (default 20), with inputs by
# chance, or always the same ones for a FUZZ_SEED. Arguments: names of targets, default all. Inputs that
# break something are kept in build/fuzz/findings, and what was learnt in build/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/fuzz
seconds=${FUZZ_SECONDS:-20}
# The store and the files that are read are made in memory.
[[ -d /dev/shm && -w /dev/shm ]] && export TMPDIR=/dev/shm
# A store is mostly allocations: two frames of each are enough to tell them apart.
export ASAN_OPTIONS=malloc_context_size=2:detect_stack_use_after_return=0

targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  for folder in tests/fuzz/corpus/*/; do targets+=("$(basename "$folder")"); done
fi

broken=()
for target in "${targets[@]}"; do
  corpus=$build/corpus/$target findings=$build/findings/$target log=$build/$target.log
  mkdir -p "$corpus" "$findings"
  # A target may look at 16 KiB; what takes 10 s hangs.
  if "$build/tests/fuzz/${target}_fuzz" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" \
    -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$findings/" \
    "$corpus" "tests/fuzz/corpus/$target" </dev/null >"$log" 2>&1; then
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | sed -n '1p;$p' | paste -sd' ' | sed 's/ / to /')
    echo "$target: $executed inputs, $speed a second, coverage $coverage"
  else
    broken+=("$target")
    grep -a -e '^broken: ' -e 'ERROR: ' -e 'runtime error: ' -e 'Test unit written to' "$log" >&2 ||
      tail -n 20 "$log" >&2
  fi
done
if [[ ${#broken[@]} -gt 0 ]]; then
  echo "$0: ${broken[*]}: what was found is in $build/findings, the whole story in $build/*.log" >&2
  exit 1
fi
