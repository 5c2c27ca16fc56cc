#!/usr/bin/env bash
# Builds Debian packages of this system's release: libduoblas0, libduoblas-blas0 (the drop-in), libduoblas-dev
# and duoblas (the command). Installs what building them needs, if it is missing. Where lintian is installed,
# its errors are errors here. The packages' maintainer is DEBFULLNAME <DEBEMAIL>, who builds them.
#
#   scripts/deb.sh FOLDER                 sudo apt-get install FOLDER/*.deb installs them
#   scripts/deb.sh FOLDER PRESET COMMAND...   of another preset; COMMAND packs what was built, in the system that
#                                         its libraries are of (scripts/arm64.sh)
set -euo pipefail

folder="${1:?usage: scripts/deb.sh FOLDER [PRESET COMMAND...]}"
preset="${2:-release}"
shift $(($# < 2 ? $# : 2))
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}" dpkg-dev file
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
build="build/deb-$preset"
# CMake knows it of the system only that it builds on.
multiarch="$("$@" dpkg-architecture -q DEB_HOST_MULTIARCH | tail -n 1)"

cmake --preset "$preset" -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON \
  -DCMAKE_INSTALL_LIBDIR="lib/$multiarch" -DDUOBLAS_ZSH_FUNCTIONS=vendor-completions \
  -DDUOBLAS_BUILD_TESTS=OFF -DDUOBLAS_BUILD_BENCH=OFF
cmake --build "$build"
rm -f "$folder"/*duoblas*.deb
umask 022
"$@" bash -c 'cd "$1" && cpack -B "$2" >/dev/null' bash "$build" "$folder"
rm -rf "$folder/_CPack_Packages"
ls -l "$folder"/*duoblas*.deb
if command -v lintian >/dev/null; then
  lintian --fail-on error --tag-display-limit 0 --allow-root "$folder"/*duoblas*.deb
fi
