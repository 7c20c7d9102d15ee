#!/usr/bin/env bash
# headers_check.sh COMPILER: every header of the layout model compiles by itself, included twice,
# without a warning.  Exit code 77: not checked, and why.
set -euo pipefail
cd "$(dirname "$0")/../.."
compiler=$1
command -v "$compiler" >/dev/null || {
  echo "skipped: there is no $compiler here"
  exit 77
}
broken=0
for header in sim/layout/*.h; do
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion \
      -Werror -fno-exceptions -I. -x c++ - || {
    echo "$header does not compile by itself with $compiler"
    broken=1
  }
done
exit $broken
