#!/usr/bin/env bash
# The Debian packages and the wheel in the system that they are for: installed, a product of NumPy by each on both
# sides of the stand-in, removed. Needs root, a network, Debian's NumPy, python3-venv and PoCL. scripts/arm64.sh
# --packages runs it.
#
#   tests/package/both_sides_test.sh FOLDER    what scripts/deb.sh and scripts/wheel.sh left there
set -euo pipefail
folder="$(cd "${1:?usage: tests/package/both_sides_test.sh FOLDER}" && pwd)"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/script.py" <<'PYTHON'
import numpy

numbers = numpy.random.default_rng(1)
a, b = (numbers.integers(-9, 9, (700, 700)).astype(numpy.float64) for _ in range(2))
assert numpy.array_equal(a @ b, (a.astype(numpy.int64) @ b.astype(numpy.int64)).astype(numpy.float64))
PYTHON

multiply() {  # ...: what runs a script and prints what became of its products
  DUOBLAS_STANDIN=1 DUOBLAS_STRATEGY=hybrid "$@" "$scratch/script.py" 2>&1 | tee "$scratch/said"
  grep -q "1  with GPU: both sides were asked for" "$scratch/said"
}

apt-get install -y -qq --no-install-recommends "$folder"/*duoblas*.deb >/dev/null
multiply duoblas run --summary -- /usr/bin/python3
apt-get remove -y -qq libduoblas0 >/dev/null  # and with it the others

/usr/bin/python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$folder"/duoblas-*.whl numpy
multiply "$scratch/venv/bin/python" -m duoblas --summary
