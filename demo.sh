#!/usr/bin/env bash
# Builds layout-check and runs its main job: every shipped dump of real hardware's shared memory is
# compared, byte for byte, with the model; then one planted mistake and its diagnosis.
# Debian 12, root or sudo; what is missing is installed.
set -euo pipefail
cd "$(dirname "$0")"
source tests/setup.sh

setup_packages demo
configure build-demo -DLC_TESTS=OFF -DLC_CUDA=OFF
cmake --build build-demo --target layout-check
check=build-demo/bin/layout-check

echo
echo "1. Shared memory that an H200 wrote, against the model"
"$check" check tests/golden/dumps/*.safetensors

echo
echo "2. A tile that was written with one base offset and described with another"
"$check" check tests/golden/dumps/mistakes/*.safetensors && {
  echo "demo.sh: the planted mistake was not found" >&2
  exit 1
}

echo
echo "3. Why a box and a descriptor disagree"
"$check" match --arch sm_90 --data-type bf16 --global-dim 64,16 --global-strides 128 \
  --box-dim 64,16 --swizzle 128B --descriptor 0x4000040000100040 --major k --element bf16 \
  --mn 16 --k 64 && {
  echo "demo.sh: the wrong stride was not found" >&2
  exit 1
}
echo
echo "demo.sh: all dumps hold, both mistakes were named"
