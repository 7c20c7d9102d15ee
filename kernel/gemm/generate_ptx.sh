#!/usr/bin/env bash
# kernel/gemm/generate_ptx.sh NVCC FOLDER [NAME…]: the PTX of the GEMM kernels as it ships in
# kernel/gemm/generated, with dumps compiled in.  Comments are left out, except the compiler's release.
set -euo pipefail
nvcc=$1 folder=$2
shift 2
top=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- $(cd "$top/kernel/gemm/generated" && ls ./*.ptx | sed 's|^\./||; s|\.ptx$||')
mkdir -p "$folder"
for name in "$@"; do
  arch=100a
  [[ $name != wgmma* ]] || arch=90a
  "$nvcc" -std=c++20 -ptx -DLC_SMEM_DUMP=1 -gencode arch=compute_$arch,code=compute_$arch -I"$top" \
    "$top/kernel/gemm/$name.cu" -o "$folder/$name.full"
  {
    sed -n 's|^// \(Cuda compilation tools, release .*\)|// \1|p' "$folder/$name.full"
    sed -e 's|[ \t]*//.*$||' -e 's|^[ \t]*||' -e '/^$/d' "$folder/$name.full"
  } >"$folder/$name.ptx"
  rm "$folder/$name.full"
done
