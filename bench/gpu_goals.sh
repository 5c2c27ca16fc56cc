#!/usr/bin/env bash
# The figures that the results' goals for a discrete GPU are about, in one run.
#
#   bench/gpu_goals.sh FOLDER [PART...]
#
# FOLDER holds bench_level3, bench_lapack, bench_device_gemm and libduoblas_blas.so.0 (a build's bin/
# and lib/ linked into it, or a copy on a machine that has no compiler). Parts: level3, lapack, numpy,
# kernels. A program that is missing is named and left out. GOALS_N and GOALS_LARGE are the sizes
# (4096 and 8192), GOALS_SECONDS the time for each figure (0.12), GOALS_ROUNDS the turns of each kernel
# (7), PYTHON one that has NumPy. Checks are off, as in the tables.
set -uo pipefail
[ $# -ge 1 ] || { sed -n '2,10p' "$0" | cut -c3-; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd) || exit 2
shift
[ $# -ge 1 ] || set -- level3 lapack numpy kernels
python=${PYTHON:-python3}
n=${GOALS_N:-4096} large=${GOALS_LARGE:-8192} seconds=${GOALS_SECONDS:-0.12}
export DUOBLAS_CHECK=off

begin() { printf -- '--- %s (%s s)\n' "$*" "$SECONDS"; }
# A program that hangs must not take the others' time.
measure() {
  local program=$1
  shift
  if [ ! -x "$folder/$program" ]; then
    echo "$program is not in $folder: left out"
    return
  fi
  begin "$program $*"
  timeout 120 "$folder/$program" "$@" || echo "exit code $?"
}

# Two rounds, because the first one also builds kernels and finds the host's pages.
level3() {
  for round in 1 2; do
    measure bench_level3 --routines symm,syrk,syr2k,trmm,trsm --precision s,d --n "$n" \
      --ways job,gemm --cpu no --seconds "$seconds"
  done
  measure bench_level3 --routines syrk,trmm,trsm --precision s,d --n "$large" --ways job,gemm \
    --cpu no --seconds "$seconds"
}

lapack() {
  measure bench_lapack --routines getrf,potrf,geqrf --precision d,s --n "$n" --ways copied \
    --seconds "$seconds"
  measure bench_lapack --routines getri,posv,gesv --precision d --n "$n" --ways copied \
    --cpu no --seconds "$seconds"
  measure bench_lapack --routines getrf,potrf --precision d --n "$large" --ways copied --cpu no \
    --seconds "$seconds"
}

# The lines of the last run say what late calls did, which times alone do not.
numpy() {
  local library=$folder/libduoblas_blas.so.0 calls=12
  [ -e "$library" ] || { echo "libduoblas_blas.so.0 is not in $folder: left out"; return; }
  for round in 1 2; do
    begin "plain numpy.linalg, then with the drop-in"
    timeout 60 "$python" "$here/programs/numpy_linalg.py" "$n" solve,inv,cholesky 3
    DUOBLAS_START_MS=0 LD_PRELOAD=$library timeout 90 \
      "$python" "$here/programs/numpy_linalg.py" "$n" solve,inv,cholesky $calls
  done
  begin "what each call of solve did"
  DUOBLAS_START_MS=0 DUOBLAS_VERBOSE=2 LD_PRELOAD=$library timeout 60 \
    "$python" "$here/programs/numpy_linalg.py" "$n" solve $calls 2>&1 | tail -n 200
}

# The kernels that a call gets without a profile: all candidates would take minutes.
kernels() {
  local program=bench_device_gemm options=(--events last --points built-in --rounds "${GOALS_ROUNDS:-7}")
  measure $program "${options[@]}" --precision s,d --size 512,1024,2048
  measure $program "${options[@]}" --precision z,c --size 2048,"$n"
  measure $program "${options[@]}" --precision d --pad 1 --size 1024,2048 --ops nn,nt,tn
}

for part in "$@"; do
  case $part in
    level3 | lapack | numpy | kernels) "$part" ;;
    *) echo "no part is named $part"; exit 2 ;;
  esac
done
