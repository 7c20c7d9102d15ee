#!/usr/bin/env bash
# tests/verify/instructions_page.sh LAYOUT_CHECK: writes docs/instructions.md again, from the table.
set -euo pipefail
cd "$(dirname "$0")/../.."
{
  cat <<'PAGE'
# The instructions of the virtual GPU

Every row of the table that binds PTX to the machine, as the program prints it: opcode, modifiers in any order,
operands as the manual writes them, and a note where there is something to know. `[x]` may be left out,
`a|b` is one of them. What the parts behind the instructions model is on [virtual-gpu.md](virtual-gpu.md).
This page is written by `tests/verify/instructions_page.sh` and compared by the test suites.

```console
$ layout-check run --coverage
PAGE
  "$1" run --coverage
  echo '```'
} >docs/instructions.md
