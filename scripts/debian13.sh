#!/usr/bin/env bash
# Runs ./test.sh in a fresh Debian 13 within a folder, which brings that release's drivers (PoCL 6,
# rusticl of Mesa 25) and its compiler. Takes about an hour on two cores the first time, and 4 GB;
# what is in the folder is used again. Needs root, and a network. Arguments go on to ctest:
#
#   scripts/debian13.sh FOLDER             every test
#   scripts/debian13.sh FOLDER -L driver   the part that runs on each driver
#   scripts/debian13.sh FOLDER --run COMMAND...   a command in the copy of this clone instead, such as
#                                          scripts/deb.sh debs: with the packages that building with tests needs
set -euo pipefail
folder="${1:?usage: scripts/debian13.sh FOLDER [ARGUMENT of ctest...]}"
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
[[ "$(id -u)" -eq 0 ]] || fail "run it as root: it makes a Debian system in $folder"
need_packages debootstrap git

mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
# Left behind by one that was interrupted.
if [[ ! -f "$folder/made" ]]; then
  rm -rf "$folder/system"
  # From where this system's packages come.
  mirror="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)"
  debootstrap --variant=minbase trixie "$folder/system" ${mirror:+"$mirror"}
  touch "$folder/made"
fi

# The network as it is set up here, and who is trusted.
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf; do
  [[ ! -f "$file" ]] || install -D -m 644 "$file" "$folder/system$file"
done
# Its own package of certificates makes that file anew, of these as well.
trusted=/etc/ssl/certs/ca-certificates.crt
[[ ! -f "$trusted" ]] ||
  install -D -m 644 "$trusted" "$folder/system/usr/local/share/ca-certificates/as_here.crt"
# The source as it lies here. What was built there stays.
source="$folder/system/duoblas"
mkdir -p "$source"
find "$source" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$source"

if [[ "${1:-}" == --run ]]; then
  shift
  # In there. What brings packages needs certificates, and what makes them is better with lintian.
  set -- bash -euo pipefail -c '. scripts/packages.sh
    need_packages "${build_packages[@]}" "${test_packages[@]}" ca-certificates lintian
    exec "$@"' bash "$@"
else
  set -- ./test.sh "$@"
fi

# Mounts are this process's own, and end with it.
exec unshare --mount bash -euo pipefail -c '
  system="$1"
  shift
  for shared in proc sys dev; do mount --rbind "/$shared" "$system/$shared"; done
  exec chroot "$system" /usr/bin/env -u LD_LIBRARY_PATH -u OCL_ICD_VENDORS -u TMPDIR -u SUDO_USER \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    bash -c "cd /duoblas && exec \"\$@\"" bash "$@"
' bash "$folder/system" "$@"
