#!/usr/bin/env bash
# Rules of the house that a compiler does not check: which room may use which, what stays out of the
# layout model, where third-party headers may stand, how long a file may be.
set -euo pipefail
cd "$(dirname "$0")/../.."
broken=0
complain() {
  echo "$1"
  broken=1
}

# room: the rooms whose headers it may include besides its own.
while read -r room allowed; do
  [ -d "$room" ] || continue
  pattern="\"(${room}${allowed:+|${allowed// /|}})/"
  while IFS= read -r line; do
    complain "$line: $room may include of $room ${allowed:-and nothing else}"
  done < <(grep -rnE '^#include "[a-z_]+/' "$room" --include='*.h' --include='*.cpp' \
    --include='*.cu' --include='*.cuh' | grep -vE "$pattern" || true)
done <<'ROOMS'
sim/layout
sim/numerics sim/layout
sim/ptx
sim/machine sim/layout sim/numerics
sim/isa sim/machine sim/ptx sim/layout sim/numerics
sim/runtime sim/machine sim/isa sim/ptx sim/layout sim/numerics
sim/observe sim/machine sim/layout sim/numerics
kernel
ROOMS

while IFS= read -r line; do
  complain "$line: the layout model allocates nothing and throws nothing"
done < <(grep -nE 'std::(vector|string|map|set|unique_ptr|function)\b|\bthrow\b|\bnew\b *[A-Z]' \
  sim/layout/*.h | grep -v '///' || true)

while IFS= read -r line; do
  complain "$line: third-party headers belong in .cpp files"
done < <(grep -rnE '#include <(fmt|nlohmann|CLI|boost|Eigen)/' sim kernel verify --include='*.h' \
  --include='*.cuh' --include='*.cu' | grep -v 'json_fwd.hpp' || true)

# docs/instructions.md is one table, written by the program.
while read -r lines file; do
  [ "$lines" -le 600 ] || complain "$file has $lines lines: split it at 600"
done < <(git ls-files ':!docs/instructions.md' '*.h' '*.cuh' '*.cu' '*.cpp' '*.sh' '*.md' '*.mjs' 2>/dev/null |
  xargs -r wc -l | grep -v ' total$')

exit $broken
