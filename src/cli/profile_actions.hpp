// The actions of `duoblas profile`: each returns the exit code.
#pragma once

#include <string>

namespace duoblas::cli {

/// All profiles of this user; `json`: also to this file, unless empty.
int list_profiles(const std::string& json);

/// Copies a profile (this machine's where `name` is empty) to a file; "-": standard output.
int export_profile(const std::string& name, const std::string& file);

/// Takes a profile from a file ("-": standard input) after every check. The earlier one is kept as
/// `<name>.before-import`.
int import_profile(const std::string& file);

struct PurgeOptions {
  bool all = false;      ///< what still fits, too
  bool dry_run = false;  ///< show only
  bool yes = false;      ///< do not ask
};

/// Shows, and then removes, profiles, journals, verdicts, compiled kernels and learned times that
/// are useless on this machine now. Asks first, on a terminal. \throws UsageError if there is no
/// terminal.
int purge_profiles(const PurgeOptions& options);

}  // namespace duoblas::cli
