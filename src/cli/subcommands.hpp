// The subcommands of `duoblas`: each adds its options, and says what its run ended with.
#pragma once

#include <CLI/CLI.hpp>

namespace duoblas::cli {

/// What the shell is told.
enum ExitCode : int { done = 0, failed = 1, usage = 2 };

/// Each adds one subcommand, which sets `code` when it was run. Errors are thrown to main.
void add_devices(CLI::App& app, int& code);
void add_tune(CLI::App& app, int& code);
void add_bench(CLI::App& app, int& code);
void add_kernel(CLI::App& app, int& code);
void add_profile(CLI::App& app, int& code);

}  // namespace duoblas::cli
