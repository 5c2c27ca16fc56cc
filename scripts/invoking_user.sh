# Under sudo, files belong to the user who called it. Sourced by quickstart.sh and test.sh.
# shellcheck shell=bash

invoking_user=""
if [[ "$(id -u)" -eq 0 && -n "${SUDO_USER:-}" && "${SUDO_USER}" != root ]]; then
  invoking_user="$SUDO_USER"
fi

# Runs a command as the invoking user with that user's home, or as it is without sudo.
as_user() {
  if [[ -z "$invoking_user" ]]; then
    "$@"
    return
  fi
  local home
  home="$(getent passwd "$invoking_user" | cut -d: -f6)"
  runuser -u "$invoking_user" -- env -u XDG_CONFIG_HOME -u XDG_CACHE_HOME "HOME=$home" "$@"
}

# Builds belong to whoever owns the checkout: a user's tree must not be left with root's files in
# it, and in root's tree the user cannot write.
as_builder() {
  if [[ -n "$invoking_user" ]] && as_user test -w "$PWD"; then
    as_user "$@"
  else
    "$@"
  fi
}
