#!/usr/bin/env bash
# Builds for 64-bit Arm with Debian's cross compiler (the preset arm64), and runs tests in a Debian 12 of that
# architecture, which it fills by debootstrap, under qemu-user: with that Debian's PoCL, OpenBLAS, oneTBB, hwloc and
# NumPy. Takes about 15 minutes the first time, and 3 GB. Needs root, a network, and a kernel with binfmt_misc.
#
#   scripts/arm64.sh FOLDER                 the unit tests
#   scripts/arm64.sh FOLDER --all           every test
#   scripts/arm64.sh FOLDER ARGUMENT...     what ctest takes, such as -R '^Fork'
#   scripts/arm64.sh FOLDER --run COMMAND...   a command there, in this clone
set -euo pipefail
folder="${1:?usage: scripts/arm64.sh FOLDER [--all | --run COMMAND... | ARGUMENT of ctest...]}"
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
[[ "$(id -u)" -eq 0 ]] || fail "run it as root: it makes a Debian system in $folder"
need_packages debootstrap qemu-user-static g++-aarch64-linux-gnu cmake ninja-build pkg-config python3

mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
system="$folder/system"

# The kernel hands programs of that architecture to the emulator, here and in the other system (its flag F).
formats=/proc/sys/fs/binfmt_misc
[[ -e "$formats/register" ]] || mount -t binfmt_misc binfmt_misc "$formats" ||
  fail "the kernel has no binfmt_misc: programs of another architecture cannot be started"
[[ -e "$formats/qemu-aarch64" ]] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$formats/register"

# A command in that system, with this clone at its own path. Mounts are this process's own.
there() {
  unshare --mount bash -euo pipefail -c '
    system="$1"
    shift
    for shared in proc sys dev; do mount --rbind "/$shared" "$system/$shared"; done
    mkdir -p "$system$PWD"
    mount --bind "$PWD" "$system$PWD"
    exec chroot "$system" /usr/bin/env -u LD_LIBRARY_PATH -u OCL_ICD_VENDORS -u TMPDIR -u SUDO_USER \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive bash -c "cd \"\$1\" && shift && exec \"\$@\"" bash "$PWD" "$@"
  ' bash "$system" "$@"
}

if [[ ! -f "$folder/made" ]]; then
  rm -rf "$system"
  # From where this system's packages come.
  mirror="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)"
  debootstrap --arch=arm64 --variant=minbase bookworm "$system" ${mirror:+"$mirror"}
  for file in /etc/resolv.conf /etc/hosts; do
    [[ ! -f "$file" ]] || install -D -m 644 "$file" "$system$file"
  done
  packages=(libstdc++-12-dev qemu-user-static ocl-icd-libopencl1 pocl-opencl-icd python3-numpy libblas3 libblas-test
            libopenblas0-openmp)
  for package in "${build_packages[@]}" "${test_packages[@]}"; do
    # The compiler is this system's.
    [[ "$package" == g++ ]] || packages+=("$package")
  done
  there apt-get update -q
  there apt-get install -y -q --no-install-recommends "${packages[@]}"
  touch "$folder/made"
fi

if [[ "${1:-}" == --run ]]; then
  shift
  there "$@"
  exit
fi

export DUOBLAS_ARM64_SYSTEM="$system"
cmake --preset arm64
cmake --build --preset arm64

case "${1:-}" in
  '') set -- -L '^unit$' ;;
  --all) shift ;;
esac
there ctest --test-dir build/arm64 -j "$(nproc)" --output-on-failure --timeout 1500 "$@"
