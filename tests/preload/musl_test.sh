#!/usr/bin/env bash
# The drop-in's shim with musl: it compiles without warnings, and a program that preloads it reaches its own BLAS. The
# library itself is not there; the shim passes everything on.
#
#   musl_test.sh SOURCE EXPORTS     SOURCE: the project; EXPORTS: the shim's version script. 77: there is no musl-gcc.
set -euo pipefail
source="$1" exports="$2"
command -v musl-gcc >/dev/null || { echo "==> not tested: musl, whose compiler is missing (package musl-tools)"; exit 77; }
folder="$(mktemp -d)"
trap 'rm -r "$folder"' EXIT
cd "$folder"

for file in "$source"/src/dropin/shim/*.c; do
  [[ "$file" == */alternative.c ]] || files+=("$file")
done
musl-gcc -std=gnu11 -O2 -fPIC -fvisibility=hidden -fasynchronous-unwind-tables -Wall -Wextra -Wpedantic -Wconversion \
  -Werror -DDUOBLAS_SONAME='"libduoblas.so.0"' -DDUOBLAS_VERSION='"0"' -I "$source/src" -I "$source/include" \
  -shared -Wl,-soname,libduoblas_blas.so.0 "-Wl,--version-script=$exports" -Wl,--no-undefined "${files[@]}" \
  -o libduoblas_blas.so.0
musl-gcc -O2 -fPIC -shared "$source/tests/preload/musl_blas.c" -o libmusl_blas.so
musl-gcc -O2 "$source/tests/preload/musl_program.c" -L. -lmusl_blas "-Wl,-rpath,$folder" -o program
./program
DUOBLAS_VERBOSE=1 LD_PRELOAD="$folder/libduoblas_blas.so.0" ./program
