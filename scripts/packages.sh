# Debian packages: which are missing, and installing them. Sourced by quickstart.sh and test.sh,
# which use the lists.
# shellcheck shell=bash disable=SC2034

build_packages=(g++ cmake ninja-build pkg-config libopenblas0-pthread libtbb-dev libhwloc-dev
                libcli11-dev nlohmann-json3-dev opencl-c-headers)
test_packages=(libgtest-dev libgmock-dev locales python3)
# What runs kernels on oclgrind, which looks for races. Debian 13 has no such package.
kernel_packages=(oclgrind)
# What tests/programs runs under the drop-in, a CPU BLAS with OpenMP (Debian's alternatives prefer
# the pthread build beside it), and the browser that opens the report. None of it is needed to build
# or to run DuoBLAS.
program_packages=(chromium libblas3 libblas-test liblapack-test liblapacke libopenblas0-openmp python3-numpy
                  python3-venv octave r-base-core openmpi-bin scalapack-mpi-test hpcc musl-tools)

# OpenCL drivers that the tests run on beside PoCL (scripts/opencl_drivers.sh has Intel's).
driver_packages=(mesa-opencl-icd python3-venv)

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

is_installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# Any vendor's OpenCL loader will do, and they exclude each other: ours only where there is none.
opencl_loader_package() {
  if ! /sbin/ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1'; then
    echo ocl-icd-libopencl1
  fi
}

# Runs a command as root. The environment is kept out of it, but for apt's own question mode.
as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    fail "this needs root: run it as root, install sudo, or install by hand: $*"
  fi
}

# What the build cannot do without, on any system. Prints what is missing.
missing_tools() {
  local tool
  for tool in cmake ninja pkg-config c++; do
    command -v "$tool" >/dev/null || echo "$tool"
  done
}

# need_packages PACKAGE...: installs what is missing of them, and says so before. Does not touch
# apt where nothing is missing. Without apt it names the packages, and goes on where the tools are.
need_packages() {
  local package missing=() tools=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "No apt here. These Debian packages, or what they are called on this system, are needed:"
    say "  $*"
    mapfile -t tools < <(missing_tools)
    if [[ ${#tools[@]} -gt 0 ]]; then
      fail "not found: ${tools[*]}. Install the packages above, then run this again."
    fi
    say "The build tools are there: going on."
    return
  fi
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  if [[ ${#missing[@]} -eq 0 ]]; then
    say "Every package that is needed is installed."
    return
  fi
  say "About to install, with apt-get and without recommended extras: ${missing[*]}"
  # The lists of a fresh image are empty and those of an old one stale.
  as_root apt-get update -q </dev/null
  as_root apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

# want_packages CONSEQUENCE PACKAGE...: the same for what nothing depends on. Packages that this
# release has not, and that cannot be installed, are named, with what follows from it.
want_packages() {
  local consequence="$1" package missing=() known=() unknown=()
  shift
  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    for package in "$@"; do
      is_installed "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    # In a shell of its own: without root it ends there, and what is installed is enough.
    (as_root apt-get update -q </dev/null) || true
    for package in "${missing[@]}"; do
      if apt-cache show "$package" >/dev/null 2>&1; then
        known+=("$package")
      else
        unknown+=("$package")
      fi
    done
    [[ ${#unknown[@]} -eq 0 ]] || say "No package here of: ${unknown[*]}. $consequence"
    [[ ${#known[@]} -gt 0 ]] || return 0
    set -- "${known[@]}"
  fi
  (need_packages "$@") || say "Going on without: $*. $consequence"
}
