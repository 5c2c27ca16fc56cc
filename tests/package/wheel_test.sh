#!/usr/bin/env bash
# The wheel in a fresh virtual environment: NumPy's products are right, and have both sides. With a folder as
# the second argument the same in a Debian 12 that debootstrap makes there, which has Python only (root).
#
#   tests/package/wheel_test.sh BUILD [FOLDER]
set -euo pipefail
build="${1:?usage: tests/package/wheel_test.sh BUILD [FOLDER]}"
system="${2:-}"
if [[ -z "${DUOBLAS_TEST_ALL:-}" && -z "$system" ]]; then
  echo "not run: it needs a network, and DUOBLAS_TEST_ALL=1"
  exit 77
fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[[ -z "$system" ]] || mkdir -p "$system"
wheels="$build/wheel"
scripts/wheel.sh "$wheels" "$build"
wheel="$(ls "$wheels"/duoblas-*.whl)"
[[ "$(stat -c %s "$wheel")" -lt 15000000 ]] || { echo "$wheel is over 15 MB"; exit 1; }

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/script.py" <<'PYTHON'
import os
import sys

import numpy

import duoblas

assert duoblas.is_loaded()
numbers = numpy.random.default_rng(1)
a, b = (numbers.integers(-9, 9, (700, 700)).astype(numpy.float64) for _ in range(2))
expected = (a.astype(numpy.int64) @ b.astype(numpy.int64)).astype(numpy.float64)
for strategy in ("auto", *sys.argv[1:]):
    duoblas.set_strategy(strategy)
    assert numpy.array_equal(a @ b, expected), strategy
    did = duoblas.last_call()
    print(strategy, did)
    assert strategy == "auto" or did.strategy == strategy, did
assert "scipy_openblas32" in os.environ["DUOBLAS_CPU_BLAS"]
PYTHON

# install_and_run PYTHON VENV WHEEL SCRIPT [STRATEGY...]
steps='set -e
"$1" -m venv "$2"
"$2/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$3" numpy
"$2/bin/python" -m duoblas --summary "$4" "${@:5}"
"$2/bin/duoblas" --version'

if [[ -z "$system" ]]; then
  DUOBLAS_STANDIN=1 bash -c "$steps" bash /usr/bin/python3 "$scratch/venv" "$wheel" \
    "$scratch/script.py" hybrid
  exit
fi

if [[ ! -f "$system/made" ]]; then
  mirror="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)"
  debootstrap --variant=minbase --include=python3,python3-venv bookworm "$system/system" \
    ${mirror:+"$mirror"}
  touch "$system/made"
fi
root="$system/system"
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf; do
  [[ ! -f "$file" ]] || install -D -m 644 "$file" "$root$file"
done
rm -rf "$root/wheel"
mkdir "$root/wheel"
cp "$wheel" "$scratch/script.py" "$root/wheel/"
# Mounts are this process's own. No OpenCL is there: the CPU does every product, rightly.
unshare --mount bash -euo pipefail -c '
  for shared in proc sys dev; do mount --rbind "/$shared" "$1/$shared"; done
  chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    bash -c "$2" bash python3 /wheel/venv "/wheel/$3" /wheel/script.py
' bash "$root" "$steps" "$(basename "$wheel")"
