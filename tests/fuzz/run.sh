#!/usr/bin/env bash
# tests/fuzz/run.sh SECONDS [TARGET…]
# Builds the fuzz targets with the address and undefined-behaviour sanitizers and runs each for
# SECONDS on one core.  Ends with 1 at the first input that crashes, hangs or takes too much memory;
# libFuzzer prints where it saved that input.  What was learnt stays in build-fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
shift || true
build=build-fuzz

command -v clang++ >/dev/null || {
  echo "tests/fuzz/run.sh: clang++ is missing: apt-get install clang libclang-rt-14-dev" >&2
  exit 2
}
cmake --preset fuzz >/dev/null
cmake --build $build --target lc_fuzz

# Seeds: the questions of the known-answer cases, the shipped dumps; names from the questions.
seeds=$build/seeds
mkdir -p $seeds/batch_fuzz $seeds/dump_fuzz $build/crashes
number=0
while IFS= read -r question; do
  number=$((number + 1))
  printf '%s' "$question" >"$seeds/batch_fuzz/case$number"
done < <(sed -n 's/^{"case":"[^"]*","request":\(.*\),"expect":.*/\1/p' tests/golden/cases.jsonl)
cp tests/golden/dumps/*.safetensors tests/golden/dumps/*/*.safetensors $seeds/dump_fuzz/
# PTX text as it stands; an F before a fat binary.
mkdir -p $seeds/ptx_fuzz
for file in tests/golden/ptx/*.ptx; do
  sed '/^\/\/\/\/ canonical/,$d' "$file" >"$seeds/ptx_fuzz/$(basename "$file")"
done
# Kernels and launch files to run.
mkdir -p $seeds/run_fuzz
cp tests/golden/run/*.ptx tests/golden/run/*.json tests/ptx/*.ptx $seeds/run_fuzz/
for file in tests/golden/ptx/*.fatbin; do
  { printf F; cat "$file"; } >"$seeds/ptx_fuzz/$(basename "$file")"
done
grep -oE '"[A-Za-z_][A-Za-z_0-9.]*"' tests/golden/cases.jsonl | sort -u >$build/words.dict

for program in $build/bin/*_fuzz; do
  name=$(basename "$program")
  [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
  mkdir -p "$build/corpus/$name" "$seeds/$name"
  limits="-timeout=25 -rss_limit_mb=2048 -malloc_limit_mb=512"
  length=4096
  [ "$name" != dump_fuzz ] || length=200000
  log=$build/$name.log
  # shellcheck disable=SC2086
  if "$program" $limits -max_len=$length -max_total_time="$seconds" -dict=$build/words.dict \
    -artifact_prefix="$build/crashes/$name-" "$build/corpus/$name" "$seeds/$name" >"$log" 2>&1; then
    echo "$name: $(grep -oE 'Done [0-9]+ runs in [0-9]+ second' "$log")s, nothing broke"
  else
    tail -40 "$log"
    echo "$name: broken; the whole log is $log" >&2
    exit 1
  fi
done
