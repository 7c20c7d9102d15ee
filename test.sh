#!/usr/bin/env bash
# Builds everything and runs the test suites.
#   ./test.sh            host suites (and GPU suites where a GPU is), compile checks, a short fuzz run
#   ./test.sh full       the same, and what takes too long for every day: all planted mistakes
#   ./test.sh bench      benchmarks, as ratios in one run
#   ./test.sh gpu        GPU suites only
#   ./test.sh fuzz [S]   each fuzz target for S seconds (default 60)
# Debian 12, root or sudo; what is missing is installed.
set -euo pipefail
cd "$(dirname "$0")"
mode=${1:-test}
source tests/setup.sh

case $mode in
  test | full)
    setup_packages test
    [ "$mode" = test ] || export LC_FULL=1
    configure build -DLC_BENCH=OFF
    cmake --build build
    ctest --test-dir build --output-on-failure -j "$(nproc)" | tee build/ctest.log
    summary build/ctest.log
    tests/fuzz/run.sh "${LC_FUZZ_SECONDS:-5}"
    ;;
  bench)
    setup_packages bench
    configure build -DLC_BENCH=ON
    cmake --build build --target lc_bench
    build/bin/lc_bench "${@:2}"
    ;;
  gpu)
    setup_packages test
    configure build -DLC_BENCH=OFF
    cmake --build build
    ctest --test-dir build --output-on-failure -L gpu
    ;;
  fuzz)
    setup_packages test
    tests/fuzz/run.sh "${2:-60}"
    ;;
  *)
    echo "test.sh: unknown mode '$mode': one of test, full, bench, gpu, fuzz" >&2
    exit 2
    ;;
esac
