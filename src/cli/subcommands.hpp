// The subcommands of `duoblas`: each adds its options, and sets the exit code of its run.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace duoblas::cli {

/// The exit codes.
enum ExitCode : int {
  done = 0,
  failed = 1,
  usage = 2,
  // As shells have it, of `duoblas run`.
  program_not_executable = 126,
  program_not_found = 127
};

/// Adds an option, or an argument, to a CLI::App. `type`: what --help calls its value.
template <typename App, typename Value>
auto* add_value(App& command, const char* name, Value& value, const char* type,
                const std::string& meaning) {
  return command.add_option(name, value, meaning)->type_name(type);
}

/// Each adds one subcommand, which sets `code` when it was run. Errors are thrown to main.
void add_devices(CLI::App& app, int& code);
void add_doctor(CLI::App& app, int& code);
void add_tune(CLI::App& app, int& code);
void add_bench(CLI::App& app, int& code);
void add_report(CLI::App& app, int& code);
void add_kernel(CLI::App& app, int& code);
void add_profile(CLI::App& app, int& code);
void add_power(CLI::App& app, int& code);
void add_selftest(CLI::App& app, int& code);

/// Both describe the whole of `app` as it is when they are run.
void add_man(CLI::App& app, int& code);
void add_completion(CLI::App& app, int& code);

/// How many of the arguments this command parses: all, except the program that `run` is given and
/// its arguments. Those are add_run's `program`, including a "--" before it.
int own_arguments(int count, char** arguments);
void add_run(CLI::App& app, int& code, char** program);

}  // namespace duoblas::cli
