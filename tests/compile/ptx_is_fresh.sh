#!/usr/bin/env bash
# tests/compile/ptx_is_fresh.sh NVCC FOLDER: the shipped PTX of the GEMM kernels is what NVCC makes of
# the sources today.  Another release of the compiler writes other text: then it is skipped.
set -euo pipefail
nvcc=$1 fresh=$2
cd "$(dirname "$0")/../.."
"$nvcc" --version | grep -o 'release [0-9.]*' >"$fresh.release"
broken=0
for shipped in kernel/gemm/generated/*.ptx; do
  if ! head -1 "$shipped" | grep -qF "$(cat "$fresh.release")"; then
    echo "precondition failed: $shipped is of another compiler than $(cat "$fresh.release")"
    exit 77
  fi
done
kernel/gemm/generate_ptx.sh "$nvcc" "$fresh"
for shipped in kernel/gemm/generated/*.ptx; do
  cmp "$shipped" "$fresh/$(basename "$shipped")" || broken=1
done
[ $broken = 0 ] || echo "try: kernel/gemm/generate_ptx.sh nvcc kernel/gemm/generated"
exit $broken
