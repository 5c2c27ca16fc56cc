#!/usr/bin/env bash
# Makes the virtual environment that the tests use as "pip's NumPy", unless it is there already. It has
# pip's SciPy too, and pytest, which runs SciPy's own tests.
# Needs a network, and python3-venv.
#
#   scripts/pip_numpy.sh FOLDER          build/release/pip-numpy is where the tests look
#   scripts/pip_numpy.sh FOLDER torch    with torch as well; build/release/pip-torch is where its test looks
set -euo pipefail

folder="${1:?usage: scripts/pip_numpy.sh FOLDER [MODULE...]}"
shift
modules=(scipy pytest "$@")
if "$folder/bin/python" -c "import numpy$(printf ', %s' "${modules[@]}")" 2>/dev/null; then
  exit 0
fi
# From 1.26 on, pip's NumPy calls BLAS by the names that only wheels have.
/usr/bin/python3 -m venv --clear "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: 'numpy>=1.26' "${modules[@]}"
