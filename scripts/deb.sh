#!/usr/bin/env bash
# Builds Debian packages of this system's release: libduoblas0, libduoblas-blas0 (the drop-in), libduoblas-dev
# and duoblas (the command). Installs what building them needs, if it is missing. Where lintian is installed,
# its errors are errors here. The packages' maintainer is DEBFULLNAME <DEBEMAIL>, who builds them.
#
#   scripts/deb.sh FOLDER                 sudo apt-get install FOLDER/*.deb installs them
set -euo pipefail

folder="${1:?usage: scripts/deb.sh FOLDER}"
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
need_packages "${build_packages[@]}" dpkg-dev file
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
build="build/deb"

cmake --preset release -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON \
  -DDUOBLAS_ZSH_FUNCTIONS=vendor-completions -DDUOBLAS_BUILD_TESTS=OFF -DDUOBLAS_BUILD_BENCH=OFF
cmake --build "$build"
rm -f "$folder"/*duoblas*.deb
umask 022
(cd "$build" && cpack -B "$folder" >/dev/null)
rm -rf "$folder/_CPack_Packages"
ls -l "$folder"/*duoblas*.deb
if command -v lintian >/dev/null; then
  lintian --fail-on error --tag-display-limit 0 --allow-root "$folder"/*duoblas*.deb
fi
