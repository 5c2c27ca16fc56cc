#!/usr/bin/env bash
# From a fresh Debian 12 to the comparison that this project exists for: installs what is needed,
# builds, co-tunes this machine for sgemm and dgemm, and prints CPU-only, GPU-only, hybrid simply
# tuned and hybrid co-tuned side by side. Takes up to a quarter of an hour on two cores.
#
#   ./quickstart.sh [SECONDS OF TUNING, 120 unless given]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck source=scripts/invoking_user.sh
. scripts/invoking_user.sh

budget="${1:-120}"
[[ "$budget" =~ ^[1-9][0-9]*$ ]] || fail "usage: ./quickstart.sh [SECONDS OF TUNING]"
command=build/release/bin/duoblas

# A GPU is what DuoBLAS itself finds, not what the machine is said to hold.
finds_gpu() {
  as_user "$command" devices --require-gpu >/dev/null 2>&1
}

has_intel_gpu() {
  local vendor
  for vendor in /sys/class/drm/renderD*/device/vendor; do
    [[ -r "$vendor" && "$(cat "$vendor")" == 0x8086 ]] && return 0
  done
  return 1
}

say "1/4 Packages"
mapfile -t loader < <(opencl_loader_package)
need_packages "${build_packages[@]}" "${loader[@]}"

say "2/4 Building (release, without the tests)"
as_builder cmake --preset release -DDUOBLAS_BUILD_TESTS=OFF -DDUOBLAS_BUILD_BENCH=OFF
as_builder cmake --build --preset release
if ! as_user test -x "$command"; then
  say "$invoking_user may not read this checkout: going on as root, whose profile it will be."
  invoking_user=""
fi

say "3/4 Co-tuning this machine"
if ! finds_gpu && has_intel_gpu; then
  say "There is an Intel GPU, and no OpenCL driver that shows it."
  need_packages intel-opencl-icd
fi
if ! finds_gpu; then
  cores="$(nproc)"
  if [[ "$cores" -lt 2 ]]; then
    fail "no OpenCL GPU was found, and with one core PoCL cannot stand in for one: half of the" \
         "cores would be the GPU's and half the CPU's. DuoBLAS works here on the CPU alone."
  fi
  say "No OpenCL GPU was found: PoCL, on half of the $cores cores, stands in for one."
  say "(Of an AMD or NVIDIA GPU the vendor's OpenCL driver is needed.)"
  need_packages pocl-opencl-icd
  export DUOBLAS_STANDIN=1
fi
as_user "$command" tune --precision s,d --budget "$budget"

say "4/4 The comparison"
as_user "$command" bench --precision s,d
