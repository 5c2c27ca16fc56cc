# What the parts of a script took, printed at its end however it ends. Sourced by test.sh.
# shellcheck shell=bash

phase_names=() phase_walls=() phase_ticks=()

# Processor time of this shell and of all processes that it, or they, waited for. (`times` in a
# subshell knows only that one's.)
processor_ticks() {
  local stat fields
  stat="$(<"/proc/$$/stat")"
  read -r -a fields <<<"${stat##*) }"
  echo $((fields[11] + fields[12] + fields[13] + fields[14]))
}

# begin_phase NAME: what follows is NAME's.
begin_phase() {
  phase_names+=("$1")
  phase_walls+=("$(date +%s)")
  phase_ticks+=("$(processor_ticks)")
}

print_phase() {
  local minutes='%3d min %02d s'
  # shellcheck disable=SC2059
  printf "==> %-9s $minutes of wall time, $minutes of processor time\n" "$1" \
    $(($2 / 60)) $(($2 % 60)) $(($3 / 60)) $(($3 % 60))
}

print_phases() {
  local status=$? tick number last=${#phase_names[@]}
  [[ "$last" -gt 0 ]] || return "$status"
  tick="$(getconf CLK_TCK)"
  begin_phase all
  for ((number = 0; number < last; ++number)); do
    print_phase "${phase_names[number]}" $((phase_walls[number + 1] - phase_walls[number])) \
      $(((phase_ticks[number + 1] - phase_ticks[number]) / tick))
  done
  print_phase all $((phase_walls[last] - phase_walls[0])) \
    $(((phase_ticks[last] - phase_ticks[0]) / tick))
  return "$status"
}
trap print_phases EXIT
