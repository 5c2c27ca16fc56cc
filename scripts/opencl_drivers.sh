#!/usr/bin/env bash
# Makes a folder with the OpenCL drivers that the tests run on beside PoCL: Intel's CPU runtime (from
# pip, proprietary: it is installed for tests and never shipped) and rusticl on llvmpipe (Debian's
# mesa-opencl-icd). Each driver has a folder of its own with one ICD file, so that a process which
# sets OCL_ICD_VENDORS to it sees this driver alone. What cannot be had is named and left out.
# Needs a network, and python3-venv.
#
# pocl-small is PoCL with no more of OpenCL C than our kernels use (scripts/small_pocl.py): the usual run of
# the tests takes it, because much of PoCL's time goes into what a kernel does not use.
#
#   scripts/opencl_drivers.sh FOLDER     build/release/opencl-drivers is where the tests look
set -euo pipefail

folder="${1:?usage: scripts/opencl_drivers.sh FOLDER}"
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"

# icd DRIVER LIBRARY: the driver's folder, with the one library.
icd() {
  mkdir -p "$folder/$1/vendors"
  echo "$2" >"$folder/$1/vendors/$1.icd"
}

# What the loader finds under a name of Debian's own ICD file.
debian_icd() {
  local driver="$1" file="/etc/OpenCL/vendors/$2"
  if [[ -f "$file" ]]; then
    icd "$driver" "$(head -n 1 "$file")"
  else
    rm -rf "${folder:?}/$driver"
    echo "==> No $driver here: $file is missing (package $3)."
  fi
}

# The versions that the table of quirks and docs/drivers.md speak of.
intel_packages=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 'tbb>=2022')

intel() {
  [[ "$(uname -m)" == x86_64 ]] || { echo "==> No intel here: it is for x86_64 only."; return; }
  local venv="$folder/intel/venv" versions="$folder/intel/versions"
  # An older runtime stays no longer than its versions are those above.
  if [[ ! -f "$folder/intel/vendors/intel.icd" ||
        "$(cat "$versions" 2>/dev/null)" != "${intel_packages[*]}" ]]; then
    rm -rf "${folder:?}/intel"
    mkdir -p "$folder/intel"
    if ! { /usr/bin/python3 -m venv "$venv" &&
           "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
             "${intel_packages[@]}"; }; then
      rm -rf "${folder:?}/intel"
      echo "==> No intel here: pip could not install ${intel_packages[*]}."
      return
    fi
    # Its own loader would be found before the system's, and reads another folder.
    rm -f "$venv"/lib/libOpenCL.so*
    icd intel "$venv/lib/libintelocl.so"
    echo "${intel_packages[*]}" >"$versions"
  fi
}

# A copy that has not all that kernels need now would refuse them.
small_pocl() {
  local library
  rm -rf "$folder/pocl-small"
  [[ -d "$folder/pocl" ]] || return 0
  if library="$(python3 -B "$(dirname "${BASH_SOURCE[0]}")/small_pocl.py" "$folder/pocl-small/copy" \
    "$(cat "$folder/pocl/vendors/pocl.icd")")"; then
    icd pocl-small "$library"
  else
    echo "==> No small copy of PoCL here: the tests take longer."
  fi
}

debian_icd pocl pocl.icd pocl-opencl-icd
small_pocl
debian_icd rusticl rusticl.icd mesa-opencl-icd
intel
