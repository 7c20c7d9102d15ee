#!/usr/bin/env bash
# Builds layout-check and runs its main job: three tcgen05 GEMM kernels run on the virtual GPU, their
# shared memory is dumped and compared byte for byte with the model, and D with a reference.  Then the
# shipped dumps of real hardware's shared memory, and two planted mistakes with their diagnosis.
# Debian 12, root or sudo; what is missing is installed.
set -euo pipefail
cd "$(dirname "$0")"
source tests/setup.sh

setup_packages demo
configure build-demo -DLC_TESTS=OFF -DLC_CUDA=OFF
cmake --build build-demo --target layout-check lc_cudart lc_cuda_driver lc_watch
check=build-demo/bin/layout-check

echo
echo "1. Three GEMM kernels: every dumped byte against the model, D against a reference"
for kernel in tcgen05_cp_async tcgen05_tma tcgen05_gemm; do
  echo
  "$check" gemm --kernel $kernel --m 500 --n 300 --k 200 --b-major n
done

echo
echo "2. Shared memory that an H200 wrote, against the model"
"$check" check tests/golden/dumps/*.safetensors

echo
echo "3. A tile that was written with one base offset and described with another"
"$check" check tests/golden/dumps/mistakes/*.safetensors && {
  echo "demo.sh: the planted mistake was not found" >&2
  exit 1
}

echo
echo "4. Why a box and a descriptor disagree"
"$check" match --arch sm_90 --data-type bf16 --global-dim 64,16 --global-strides 128 \
  --box-dim 64,16 --swizzle 128B --descriptor 0x4000040000100040 --major k --element bf16 \
  --mn 16 --k 64 && {
  echo "demo.sh: the wrong stride was not found" >&2
  exit 1
}
echo
echo "demo.sh: all kernels and dumps hold, both mistakes were named"
