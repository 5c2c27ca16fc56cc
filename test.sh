#!/usr/bin/env bash
# Installs what is needed, builds the release preset and runs every test. Takes half an hour on two
# cores. Arguments go to ctest: ./test.sh -L unit
#
#   ./test.sh --all      everything, where element types and drivers otherwise take turns (DUOBLAS_TEST_ALL),
#                        and every benchmark is built
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck source=scripts/invoking_user.sh
. scripts/invoking_user.sh
# shellcheck source=scripts/phase_times.sh
. scripts/phase_times.sh

if [[ "${1:-}" == --packages ]]; then
  [[ "$(id -u)" -eq 0 ]] || fail "run it as root: it makes Debian systems"
  mkdir -p "${2:?usage: ./test.sh --packages FOLDER}"
  folder="$(cd "$2" && pwd)"
  need_packages debootstrap lintian
  scripts/deb.sh "$folder/debs"
  # Packages are for the release that they were built on and those after it.
  # shellcheck source=/dev/null
  [[ "$(. /etc/os-release && echo "$VERSION_CODENAME")" == trixie ]] ||
    tests/package/deb_test.sh "$folder/debs" "$folder" bookworm
  tests/package/deb_test.sh "$folder/debs" "$folder" trixie
  exec tests/package/wheel_test.sh build/release "$folder/wheel"
fi

everything=0
if [[ "${1:-}" == --all ]]; then
  everything=1
  shift
fi

begin_phase packages
say "1/3 Packages"
mapfile -t loader < <(opencl_loader_package)
# PoCL even where there is a GPU: the tests use it as the device whose results are the same on
# every machine.
need_packages "${build_packages[@]}" "${test_packages[@]}" pocl-opencl-icd "${loader[@]}"
want_packages "Kernels are not run on oclgrind." "${kernel_packages[@]}"
want_packages "The tests of real programs that need it are skipped." "${program_packages[@]}"
# Tests of other drivers: mesa-opencl-icd brings rusticl.
want_packages "Rusticl is skipped." "${driver_packages[@]}"

begin_phase building
say "2/3 Building (release)"
as_builder cmake --preset release
as_builder cmake --build --preset release
((everything == 0)) || as_builder cmake --build --preset release --target benchmarks
as_builder scripts/pip_numpy.sh build/release/pip-numpy ||
  say "Going on without pip's NumPy: its test will be skipped."
as_builder scripts/opencl_drivers.sh build/release/opencl-drivers ||
  say "Going on without other OpenCL drivers: their tests will be skipped."

begin_phase testing
say "3/3 Testing"
# What compiles most kernels takes turns from commit to commit: tests/support/turns.hpp, tests/drivers.
turn="${DUOBLAS_TEST_TURN:-}"
if [[ -z "$turn" && "$(git rev-parse --is-shallow-repository 2>/dev/null)" == false ]]; then
  turn="$(git rev-list --count HEAD)"
fi
[[ "$turn" =~ ^[0-9]+$ ]] || turn="$(date +%j)"
turn=$((10#$turn % 8))
# The tests make their own settings; a developer's own must not leak in.
while IFS= read -r variable; do
  unset "$variable"
done < <(compgen -e | grep '^DUOBLAS_' || true)
export DUOBLAS_TEST_TURN="$turn"
if ((everything == 0)); then
  say "Turn $turn of 0 to 7 (DUOBLAS_TEST_TURN=$turn ./test.sh has the same tests; --all has all)"
else
  export DUOBLAS_TEST_ALL=1
fi
# PoCL alone, where a test does not choose: other drivers are loaded into each process otherwise. The usual
# run has what our kernels use of it; a run of everything has PoCL as users have it.
drivers="$PWD/build/release/opencl-drivers" pocl=pocl-small
[[ "$everything" == 0 && -d "$drivers/$pocl" ]] || pocl=pocl
[[ ! -d "$drivers/$pocl" ]] || export OCL_ICD_VENDORS="${OCL_ICD_VENDORS:-$drivers/$pocl/vendors}"
status=0
as_builder ctest --preset release -j "$(nproc)" "$@" || status=$?
# CTest says which tests were skipped; why, only its log has.
sed -n "s/.* \.\.\. skipped ['\"]\(.*\)['\"]$/==> not tested: \1/p" \
  build/release/Testing/Temporary/LastTest.log | sort -u
# What a driver cannot do, or does wrong, tests print in this form.
sed -n '/^==> driver: /p' build/release/Testing/Temporary/LastTest.log | sort -u
# A long log is cut to its end: there, why tests failed.
[[ "$status" == 0 ]] || python3 scripts/failed_tests.py build/release/Testing/Temporary
exit "$status"
