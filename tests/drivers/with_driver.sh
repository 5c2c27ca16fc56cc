#!/usr/bin/env bash
# Runs a command with one OpenCL driver alone, as the first device. Ends with 77, which CTest takes for
# "skipped", where scripts/opencl_drivers.sh found no such driver.
#
#   with_driver.sh FOLDER DRIVER COMMAND [ARGUMENT...]
#
# --part=FILTER: GoogleTest's filter, but of a run of everything (DUOBLAS_TEST_ALL).
# --turn=0 to 3: which two of eight runs (DUOBLAS_TEST_TURN) have this test; of everything, all. So each driver
# sees both kinds of turns in which element types take part.
set -euo pipefail
folder="$1" driver="$2"
shift 2

command=()
for argument in "$@"; do
  case "$argument" in
    --turn=*)
      if [[ -z "${DUOBLAS_TEST_ALL:-}" ]] && ((${DUOBLAS_TEST_TURN:-0} / 2 % 4 != ${argument#--turn=})); then
        echo "with $driver ... skipped 'it is another run that has this (DUOBLAS_TEST_TURN)'"
        exit 77
      fi
      ;;
    --part=*) [[ -n "${DUOBLAS_TEST_ALL:-}" ]] || command+=("--gtest_filter=${argument#--part=}") ;;
    *) command+=("$argument") ;;
  esac
done
set -- "${command[@]}"

if [[ ! -d "$folder/$driver/vendors" ]]; then
  # The form in which Python's unittest says so: test.sh gathers such lines.
  echo "$driver ... skipped 'the OpenCL driver $driver is not here: scripts/opencl_drivers.sh $folder'"
  exit 77
fi
export OCL_ICD_VENDORS="$folder/$driver/vendors" DUOBLAS_DEVICE=0
case "$driver" in
  intel) export LD_LIBRARY_PATH="$folder/intel/venv/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
  rusticl) export RUSTICL_ENABLE=llvmpipe ;;
esac
if [[ "$driver" == intel ]]; then
  # A worker thread of the runtime's own may crash while the process exits (docs/drivers.md): 1 of 192
  # processes, 3 of 300 on another machine. What ends so every time fails all the same.
  status=0
  "$@" || status=$?
  ((status > 128)) || exit "$status"
  echo "==> driver: intel: a process ended by signal $((status - 128)); it runs once more"
fi
exec "$@"
