#!/usr/bin/env bash
# Formatting and static checks of the C and C++ sources: what a reviewer should not have to say.
# Needs clang-format and clang-tidy (Debian 12: version 14) and a configured build/release.
#
#   scripts/lint.sh            reports what differs or looks wrong, changes nothing
#   scripts/lint.sh --fix      formats in place
#   scripts/lint.sh --tidy     runs clang-tidy too, which takes minutes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode="${1:-}"
case "$mode" in
  "" | --fix | --tidy) ;;
  *)
    echo "usage: scripts/lint.sh [--fix | --tidy]" >&2
    exit 2
    ;;
esac

mapfile -t sources < <(find include src tuner power simulation tests bench \
                         -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' | sort)
if [[ "$mode" == --fix ]]; then
  clang-format -i "${sources[@]}"
  exit 0
fi
clang-format --dry-run -Werror "${sources[@]}"
if [[ "$mode" == --tidy ]]; then
  if [[ ! -f build/release/compile_commands.json ]]; then
    echo "configure first: cmake --preset release" >&2
    exit 1
  fi
  # Without the headers that GCC precompiled, which Clang refuses.
  commands="$(mktemp -d)"
  trap 'rm -r "$commands"' EXIT
  sed 's/ -include [^ ]*cmake_pch.hxx//' build/release/compile_commands.json > "$commands/compile_commands.json"
  mapfile -t units < <(find src tuner -name '*.cpp' | sort)
  clang-tidy -p "$commands" --quiet "${units[@]}"
fi
