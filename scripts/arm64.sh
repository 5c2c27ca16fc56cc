#!/usr/bin/env bash
# Builds for 64-bit Arm with Debian's cross compiler (the preset arm64), and runs tests in a Debian 12 of that
# architecture, which it fills by debootstrap, under qemu-user: with that Debian's PoCL, OpenBLAS, oneTBB, hwloc and
# NumPy. Needs root, a network, 4 GB, and a kernel with binfmt_misc.
#
#   scripts/arm64.sh FOLDER                 a part that covers all components: tests/arm64_part.txt
#   scripts/arm64.sh FOLDER --all           every test, but for those that the same file says are left out
#   scripts/arm64.sh FOLDER ARGUMENT...     what ctest takes, such as -R '^Fork'
#   scripts/arm64.sh FOLDER --packages      Debian packages and the wheel, into build/arm64/packages, and a product by each
#   scripts/arm64.sh FOLDER --run COMMAND...   a command there, in this clone
set -euo pipefail
folder="${1:?usage: scripts/arm64.sh FOLDER [--all | --packages | --run COMMAND... | ARGUMENT of ctest...]}"
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck source=scripts/phase_times.sh
. scripts/phase_times.sh
[[ "$(id -u)" -eq 0 ]] || fail "run it as root: it makes a Debian system in $folder"
need_packages debootstrap qemu-user-static g++-aarch64-linux-gnu cmake ninja-build pkg-config python3

mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
export DUOBLAS_ARM64_SYSTEM="$folder/system"

# The kernel hands programs of that architecture to the emulator, here and in the other system (its flag F).
formats=/proc/sys/fs/binfmt_misc
[[ -e "$formats/register" ]] || mount -t binfmt_misc binfmt_misc "$formats" ||
  fail "the kernel has no binfmt_misc: programs of another architecture cannot be started"
[[ -e "$formats/qemu-aarch64" ]] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$formats/register"

# A command in that system, with this clone and the system itself at their own paths, which files of the build name.
# Mounts are this process's own.
there() {
  unshare --mount bash -euo pipefail -c '
    system="$DUOBLAS_ARM64_SYSTEM"
    mkdir -p "$system$system" "$system$PWD"
    mount --bind "$system" "$system$system"
    for shared in proc sys dev; do mount --rbind "/$shared" "$system/$shared"; done
    mount --bind "$PWD" "$system$PWD"
    exec chroot "$system" /usr/bin/env -u LD_LIBRARY_PATH -u TMPDIR -u SUDO_USER \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive bash -c "cd \"\$1\" && shift && exec \"\$@\"" bash "$PWD" "$@"
  ' bash "$@"
}

if [[ ! -f "$folder/made" ]]; then
  rm -rf "$DUOBLAS_ARM64_SYSTEM"
  # From where this system's packages come.
  mirror="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)"
  debootstrap --arch=arm64 --variant=minbase bookworm "$DUOBLAS_ARM64_SYSTEM" ${mirror:+"$mirror"}
  touch "$folder/made"
fi
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf; do
  [[ ! -f "$file" ]] || install -D -m 644 "$file" "$DUOBLAS_ARM64_SYSTEM$file"
done
# This system's emulator, which is a program of this system there, too: its own would have to be emulated.
install -m 755 /usr/bin/qemu-aarch64-static "$DUOBLAS_ARM64_SYSTEM/usr/bin/"
if [[ ! -f "$folder/filled" ]]; then
  there bash -euo pipefail -c '. scripts/packages.sh
    need_packages "${build_packages[@]}" "${test_packages[@]}" dpkg-dev file libblas-test libblas3 \
      libopenblas0-openmp ocl-icd-libopencl1 pocl-opencl-icd python3-numpy python3-venv'
  touch "$folder/filled"
fi

case "${1:-}" in
  --run)
    shift
    there "$@"
    exit
    ;;
  --packages)
    scripts/deb.sh build/arm64/packages arm64 scripts/arm64.sh "$folder" --run
    scripts/wheel.sh build/arm64/packages build/deb-arm64 scripts/arm64.sh "$folder" --run
    there tests/package/both_sides_test.sh build/arm64/packages
    exit
    ;;
esac

# What the file says: programs and tests of the part, and tests that are left out.
targets=() part=() left_out=()
while read -r what name tests; do
  case "$what" in
    run)
      targets+=("$name")
      part+=("$tests")
      ;;
    without)
      say "Not run: $name, since $tests"
      left_out+=("$name")
      ;;
  esac
done <tests/arm64_part.txt

case "${1:-}" in
  '') set -- -R "$(IFS='|' && echo "${part[*]}")" ;;
  --all)
    targets=(all)
    shift
    ;;
  *) targets=(all) ;;
esac
begin_phase build
cmake --preset arm64
cmake --build --preset arm64 --target "${targets[@]}"
begin_phase tests
there scripts/opencl_drivers.sh build/arm64/opencl-drivers
export OCL_ICD_VENDORS="$PWD/build/arm64/opencl-drivers/pocl-small/vendors"
# A test that was renamed would be missed by nobody.
names="$(there ctest --test-dir build/arm64 -N | sed -n 's/^ *Test *#[0-9]*: //p')"
for tests in "${part[@]}"; do
  grep -qE "$tests" <<<"$names" || fail "tests/arm64_part.txt: no test is called $tests"
done
# Programs of unit tests, which are one test of CTest's, hear of it by GoogleTest's variable, others by their names.
GTEST_FILTER="-$(IFS=: && echo "${left_out[*]}")"
export GTEST_FILTER
left_out=("${left_out[@]//./\\.}")
left_out=("${left_out[@]//\*/.*}")
there ctest --test-dir build/arm64 -j "$(nproc)" --output-on-failure -E "^($(IFS='|' && echo "${left_out[*]}"))\$" "$@"
