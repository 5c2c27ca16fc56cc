#!/usr/bin/env bash
# HPL by ranks of Open MPI, plain and with the library in turns, each rank with its part of the cores.
#
# usage: hpl_ranks.sh HPL DUOBLAS CASE...
#   HPL       the program: Debian's hpcc, which has other benchmarks too, or that of build_hpl.sh
#   DUOBLAS   the command duoblas
#   CASE      PxQ:N:NB:TURNS, or with a device for all ranks behind it: 1x2:20000:512:2:0. NB 512/256: 512 with the
#             library, 256 plain. TURNS 0: once with the library, as the first run of a grid and NB, which builds kernels
#
# A line for each run: grid, N, NB, who computed, seconds, GFLOPS, residual; of build_hpl.sh's program also its panels',
# updates' and row swaps' seconds. What else a run says is left in the folder ranks-of-hpl. HPL_SECONDS: the longest
# run. HPL_CORES: of each rank, where not all are to be used.
set -euo pipefail
[[ $# -ge 3 ]] || { sed -n '2,12p' "$0"; exit 2; }
hpl="$(realpath "$(command -v "$1")")" duoblas="$(realpath "$(command -v "$2")")"
cores="$(nproc)"; shift 2
mkdir -p ranks-of-hpl && cd ranks-of-hpl

input() { # N NB P Q: the lines of hpccinf.txt, which are those of HPL.dat
  printf '%s\n' 'HPL of ranks' '' 'HPL.out file' '8 device' '1 Ns' "$1" '1 NBs' "$2" '0 row-major' \
    '1 grids' "$3 Ps" "$4 Qs" '16.0 threshold' '1 PFACTs' '2 right' '1 NBMINs' '8' '1 NDIVs' '2' \
    '1 RFACTs' '2 right' '1 BCASTs' '1 ring' '1 DEPTHs' '1' '2 mix' '64 threshold' '0 L1' '0 U' '1 equilibration' \
    '8 alignment' '---' '0' '0' '0' '0'
}

run() { # PxQ N NB WHO DEVICE
  local grid="$1" n="$2" nb="$3" who="$4" device="$5" with=()
  local ranks=$((${grid%x*} * ${grid#*x})) options=(--oversubscribe --bind-to none)
  local part="${HPL_CORES:-$((cores / ranks > 0 ? cores / ranks : 1))}"
  input "$n" "$nb" "${grid%x*}" "${grid#*x}" >hpccinf.txt && rm -f hpccoutf.txt
  if ((part > 1)); then options=(--map-by "slot:PE=$part" --bind-to core); fi
  [[ "$who" == plain ]] || with=("DUOBLAS_DEVICE=$device" "$duoblas" run --summary --)
  timeout "${HPL_SECONDS:-300}" mpirun "${options[@]}" -n "$ranks" env "OPENBLAS_NUM_THREADS=$part" "${with[@]}" "$hpl" \
    >"$grid-$n-$nb-$who$device.txt" 2>&1 || echo "$who: mpirun ended with $?"
  [[ -f hpccoutf.txt ]] || return 0
  awk -v grid="$grid" -v who="$who$device" '
    /^W[RC][0-9]/ { n = $2; nb = $3; seconds = $6; rate = $7 }
    /wall time (rfact|update|laswp)/ { parts = parts " " $NF }
    /Ax-b/ { residual = $NF }
    END { print grid, n, nb, who, seconds, rate, residual parts }' hpccoutf.txt
}

echo 'grid N NB who seconds GFLOPS residual (panels updates swaps)'
for case in "$@"; do
  IFS=: read -r grid n nb turns device <<<"$case"
  ((turns > 0)) || run "$grid" "$n" "${nb%/*}" library "${device:-}"
  for ((turn = 0; turn < turns; ++turn)); do
    order=(plain library) # who is first changes
    ((turn % 2 == 0)) || order=(library plain)
    for who in "${order[@]}"; do
      [[ "$who" == library ]] && blocks="${nb%/*}" || blocks="${nb#*/}"
      run "$grid" "$n" "$blocks" "$who" "${device:-}"
    done
  done
done
