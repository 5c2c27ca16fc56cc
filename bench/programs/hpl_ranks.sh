#!/usr/bin/env bash
# HPL by ranks of Open MPI, plain and with the library in turns, each rank with its part of the cores.
#
# usage: hpl_ranks.sh HPL LIBRARY CASE...
#   HPL       the program: hpcc of Debian, or one built from its source that runs HPL alone
#   LIBRARY   libduoblas_blas.so.0
#   CASE      RANKS:N:NB:TURNS, or with a device for all ranks behind it: 2:20000:256:2:0
#
# A line for each run: ranks, N, NB, who computed, seconds, GFLOPS, residual. With the library a linked BLAS's threads
# sleep sooner, as under duoblas run. Summaries are left in the folder ranks-of-hpl. HPL_SECONDS: the longest run.
set -euo pipefail
[[ $# -ge 3 ]] || { sed -n '2,10p' "$0"; exit 2; }
hpl="$(realpath "$(command -v "$1")")" library="$(realpath "$2")"
cores="$(nproc)"; shift 2
mkdir -p ranks-of-hpl && cd ranks-of-hpl

input() { # N NB P Q: the lines of hpccinf.txt, which are those of HPL.dat
  printf '%s\n' 'HPL of ranks' '' 'HPL.out file' '8 device' '1 Ns' "$1" '1 NBs' "$2" '0 row-major' \
    '1 grids' "$3 Ps" "$4 Qs" '16.0 threshold' '1 PFACTs' '2 right' '1 NBMINs' '4' '1 NDIVs' '2' \
    '1 RFACTs' '1 Crout' '1 BCASTs' '1 ring' '1 DEPTHs' "${HPL_DEPTH:-1}" '2 mix' '64 threshold' '0 L1' '0 U' '1 equilibration' \
    '8 alignment' '---' '0' '0' '0' '0'
}

run() { # RANKS N NB WHO DEVICE
  local ranks="$1" n="$2" nb="$3" who="$4" device="$5" rows=1 # rows of the grid
  local part=$((cores / ranks > 0 ? cores / ranks : 1)) options=(--oversubscribe --bind-to none)
  ((ranks % 4 != 0)) || rows=2
  input "$n" "$nb" "$rows" $((ranks / rows)) >hpccinf.txt && rm -f hpccoutf.txt
  if ((part > 1)); then options=(--map-by "slot:PE=$part" --bind-to core); fi
  local settings=("OPENBLAS_NUM_THREADS=$part")
  if [[ "$who" == library ]]; then
    settings+=("LD_PRELOAD=$library" OPENBLAS_THREAD_TIMEOUT=22 DUOBLAS_SUMMARY=1 "DUOBLAS_DEVICE=$device")
  fi
  timeout "${HPL_SECONDS:-300}" mpirun "${options[@]}" -n "$ranks" env "${settings[@]}" "$hpl" \
    >"$ranks-$n-$nb-$who$device.txt" 2>&1 || echo "$who: mpirun ended with $?"
  [[ -f hpccoutf.txt ]] || return 0
  awk -v ranks="$ranks" -v who="$who$device" '
    /^W[RC][0-9]/ { n = $2; nb = $3; seconds = $6; rate = $7 }
    /Ax-b/ { residual = $NF }
    END { print ranks, n, nb, who, seconds, rate, residual }' hpccoutf.txt
}

echo 'ranks N NB who seconds GFLOPS residual'
for case in "$@"; do
  IFS=: read -r ranks n nb turns device <<<"$case"
  for ((turn = 0; turn < turns; ++turn)); do
    order=(plain library) # who is first changes
    ((turn % 2 == 0)) || order=(library plain)
    for who in "${order[@]}"; do run "$ranks" "$n" "$nb" "$who" "${device:-}"; done
  done
done
