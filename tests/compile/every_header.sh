#!/usr/bin/env bash
# Prints one #include per header of the layout model.
set -euo pipefail
cd "$(dirname "$0")/../.."
for header in sim/layout/*.h; do echo "#include \"$header\""; done
