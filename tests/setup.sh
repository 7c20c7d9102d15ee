# What demo.sh and test.sh share; sourced from the top folder of the tree.

# Installs the Debian packages a mode needs and that are not there.
setup_packages() {
  local wanted="g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev liblz4-dev libzstd-dev libeigen3-dev"
  case $1 in
    test) wanted+=" libboost-test-dev clang libclang-rt-14-dev lld wasi-libc libc++-14-dev-wasm32" ;;
    bench) wanted+=" libbenchmark-dev libboost-test-dev" ;;
  esac
  local missing="" package
  for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=" $package"
  done
  [ -n "$missing" ] || return 0
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  echo "installing:$missing"
  $sudo apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# configure FOLDER [cmake options]
configure() {
  local folder=$1
  shift
  cmake -S . -B "$folder" -G Ninja "$@" >"$folder.log" 2>&1 || {
    cat "$folder.log"
    return 1
  }
  rm -f "$folder.log"
  if command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ]; then
    echo "CUDA toolkit found: kernels are built for sm_90a and sm_100a"
  else
    echo "no CUDA toolkit: the kernels are skipped; everything else is built"
  fi
}

# Counts from ctest's log, skipped suites with their reason.
summary() {
  local passed failed skipped
  passed=$(grep -cE ' Passed +[0-9.]+ sec' "$1" || true)
  skipped=$(grep -cE '\*\*\*Skipped' "$1" || true)
  failed=$(grep -cE '\*\*\*(Failed|Timeout|Exception)' "$1" || true)
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$skipped" = 0 ] || {
    echo "skipped, because:"
    grep -ohE 'precondition failed: .*' build/Testing/Temporary/LastTest.log | sort | uniq -c |
      sed -E 's/^ *([0-9]+) precondition failed: /  \1 x /'
  }
}
