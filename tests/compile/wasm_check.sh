#!/usr/bin/env bash
# The layout model compiled to WebAssembly: of the libraries only memcpy and memset are linked, no
# import is left, and the module answers like the host.  Exit code 77: not checked, and why.
set -euo pipefail
cd "$(dirname "$0")/../.."
skip() {
  echo "skipped: $1"
  exit 77
}
command -v clang++ >/dev/null || skip "clang++ is missing: apt-get install clang"
command -v wasm-ld >/dev/null || skip "the linker is missing: apt-get install lld"
wasm="clang++ --target=wasm32-wasi -std=c++20 -O2 -fno-exceptions -Wall -Wextra -Werror -I."
echo '#include <array>' | $wasm -fsyntax-only -x c++ - 2>/dev/null ||
  skip "the library headers are missing: apt-get install wasi-libc libc++-14-dev-wasm32"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/compile/every_header.sh >"$work/every_layout_header.h"
$wasm -I"$work" -nostdlib -Wl,--no-entry -Wl,--strip-all -Wl,--export=layout_calls \
  tests/compile/layout_calls.cpp -lc -o "$work/layout.wasm"
echo "module of $(stat -c %s "$work/layout.wasm") bytes"

command -v node >/dev/null || {
  echo "compiled; not run, because there is no node here"
  exit 0
}
"${CXX:-g++}" -std=c++20 -O1 -I. -I"$work" tests/compile/layout_calls.cpp -o "$work/host"
"$work/host" >"$work/host.txt"
node tests/compile/layout_calls.mjs "$work/layout.wasm" "$(wc -l <"$work/host.txt")" \
  >"$work/wasm.txt"
diff "$work/host.txt" "$work/wasm.txt" >"$work/diff.txt" || {
  head -5 "$work/diff.txt"
  echo "WebAssembly and the host disagree"
  exit 1
}
echo "$(wc -l <"$work/host.txt") answers agree with the host's"
