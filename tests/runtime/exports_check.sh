#!/usr/bin/env bash
# exports_check.sh OURS LIST [THEIRS]: a drop-in library exports every name of its list, and exactly
# what NVIDIA's library exports, versions included, where that one is.
set -euo pipefail
export LC_ALL=C
names() {
  readelf --dyn-syms -W "$1" | awk '$7 != "UND" && $8 ~ /^(__)?cu/ {print $8}' | sort -u
}
diff <(sort -u "$2") <(names "$1" | sed 's/@.*//' | sort -u)
[ -n "${3:-}" ] || exit 0
[ -e "$3" ] || { echo "$3 is not here"; exit 0; }
diff <(names "$3") <(names "$1")
