#!/usr/bin/env bash
# The Debian packages in a Debian that debootstrap makes in FOLDER/RELEASE: installed, used by Debian's NumPy,
# Octave and R as `duoblas run` and as the system's libblas.so.3, linked against, and removed. Needs root, a
# network and 2 GB.
#
#   tests/package/deb_test.sh DEBS FOLDER [RELEASE]     DEBS: what scripts/deb.sh left; RELEASE of Debian:
#                                                       bookworm (12) unless given, or trixie (13)
set -euo pipefail
debs="${1:?usage: tests/package/deb_test.sh DEBS FOLDER [RELEASE]}"
release="${3:-bookworm}"
system="${2:?usage: tests/package/deb_test.sh DEBS FOLDER [RELEASE]}/$release"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$system"
root="$system/system"
if [[ ! -f "$system/made" ]]; then
  rm -rf "$root"  # left by one that was interrupted
  mirror="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)"
  debootstrap --variant=minbase "$release" "$root" ${mirror:+"$mirror"}
  touch "$system/made"
fi
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
  [[ ! -f "$file" ]] || install -D -m 644 "$file" "$root$file"
done
rm -rf "$root/debs"
mkdir "$root/debs"
cp "$debs"/*duoblas*.deb "$root/debs/"
cp tests/package/c_user/user.c "$root/debs/"
cat >"$root/debs/script.py" <<'PYTHON'
import numpy

numbers = numpy.random.default_rng(1)
a, b = (numbers.integers(-9, 9, (700, 700)).astype(numpy.float64) for _ in range(2))
expected = (a.astype(numpy.int64) @ b.astype(numpy.int64)).astype(numpy.float64)
assert numpy.array_equal(a @ b, expected)
maps = open("/proc/self/maps", encoding="utf-8").read()
assert "libduoblas_blas.so.0" in maps
print("right, with the drop-in")
PYTHON
# Whole numbers, which doubles hold exactly: the CPU BLAS is left out of one of the two ways.
cat >"$root/debs/script.m" <<'OCTAVE'
a = mod(reshape(0:489999, 700, 700) * 7, 19) - 9;
b = mod(reshape(0:489999, 700, 700) * 11, 17) - 8;
c = a * b;
assert(isequal(c(300, :), sum(bsxfun(@times, a(300, :)', b), 1)));
assert(isequal(c(:, 41), sum(bsxfun(@times, a, b(:, 41)'), 2)));
assert(index(fileread("/proc/self/maps"), "libduoblas_blas.so.0") > 0);
disp("right, with the drop-in");
OCTAVE
cat >"$root/debs/script.R" <<'R'
a <- matrix((0:489999 * 7) %% 19 - 9, 700)
b <- matrix((0:489999 * 11) %% 17 - 8, 700)
c <- a %*% b
stopifnot(all(c[300, ] == colSums(a[300, ] * b)), all(c[, 41] == rowSums(t(t(a) * b[, 41]))))
stopifnot(any(grepl("libduoblas_blas.so.0", readLines("/proc/self/maps"))))
cat("right, with the drop-in\n")
R

# Mounts are this process's own. No OpenCL is there: the CPU does every product, rightly.
unshare --mount bash -euo pipefail -c '
  for shared in proc sys dev; do mount --rbind "/$shared" "$1/$shared"; done
  exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive bash -euo pipefail -c "$2"
' bash "$root" '
  link=/usr/lib/x86_64-linux-gnu/libblas.so.3
  ours=/usr/lib/x86_64-linux-gnu/duoblas/libblas.so.3
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends /debs/*.deb python3-numpy octave r-base-core \
    gcc libc6-dev pkg-config >/dev/null
  if duoblas doctor --quick; then exit 1; fi                  # there is no OpenCL
  everyone() {  # ...: what comes before each program
    "$@" python3 /debs/script.py
    "$@" octave-cli --quiet --no-init-file /debs/script.m
    "$@" Rscript --vanilla /debs/script.R
  }
  everyone duoblas run --
  test "$(readlink -f $link)" != "$(readlink -f $ours)"       # an installation changes no program
  update-alternatives --set libblas.so.3-x86_64-linux-gnu $ours
  everyone env
  gcc /debs/user.c $(pkg-config --cflags --libs duoblas) -lm -o /debs/user
  /debs/user
  apt-get remove -y -qq libduoblas0 >/dev/null                # and with it the others
  test -e "$link" && test "$(readlink -f $link)" != $ours
  if ls /usr/lib/x86_64-linux-gnu/*duoblas* 2>/dev/null; then exit 1; fi
  python3 -c "import numpy; a = numpy.ones((9, 9)); assert (a @ a == 9).all()"
  echo "removed"
'
