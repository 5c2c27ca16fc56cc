#!/usr/bin/env bash
# HPL alone, with times of its parts, from the source of Debian's hpcc, which has other benchmarks before it.
#
# usage: build_hpl.sh SOURCE PROGRAM
#   SOURCE   the folder that "apt-get source hpcc" made. Needs libopenmpi-dev and libopenblas-dev.
#   PROGRAM  what to make: reads hpccinf.txt, writes hpccoutf.txt
set -euo pipefail
[[ $# -eq 2 ]] || { sed -n '2,6p' "$0"; exit 2; }
source="$(realpath "$1")" program="$(realpath -m "$2")"
built="$(mktemp -d)" && trap 'rm -r "$built"' EXIT
cat >"$built/main.c" <<'C'
#include <hpcc.h>

int main(int argc, char** argv) {
  HPCC_Params params;
  MPI_Init(&argc, &argv);
  if (HPCC_Init(&params) == 0) HPL_main(argc, argv, &params.HPLrdata, &params.Failure);
  MPI_Finalize();
  return 0;
}
C
flags="-O3 -funroll-loops -ffunction-sections -w -Iinclude -Ihpl/include -DHPL_DETAILED_TIMING -DHPL_CALL_CBLAS"
flags+=" -DAdd_ -DF77_INTEGER=int -DStringSunStyle -DLONG_IS_64BITS"
export MPICC="${MPICC:-mpicc}" flags built
cd "$source"
# Some are parts of others, or have a program of their own.
find DGEMM FFT PTRANS RandomAccess STREAM hpl/src hpl/testing src -name '*.c' \
  ! -name 'wrap*fftw.c' ! -name buckets.c ! -name single_cpu_lcg.c ! -path src/hpcc.c -print0 |
  xargs -0 -P "$(nproc)" -I '{}' bash -c '$MPICC $flags -c "{}" -o "$built/$(tr / _ <<<"{}").o"'
$MPICC $flags -Wl,--gc-sections "$built"/*.c "$built"/*.o -o "$program" -lblas -lm
