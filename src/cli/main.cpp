// The `duoblas` command: what the library found, tuned and would do, and how fast that is.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include <duoblas/duoblas.h>
#include <duoblas/error.hpp>

#include "cli/arguments.hpp"
#include "cli/selftest/section_process.hpp"
#include "cli/subcommands.hpp"
#include "os/standard_streams.hpp"
#include "tuner/core_type_probe.hpp"
#include "tuner/gemv_trials.hpp"
#include "tuner/kernel_trials.hpp"

namespace {

constexpr const char* kMainFooter =
    "First steps:\n"
    "  duoblas doctor           what is missing or slow here, and what mends it\n"
    "  duoblas devices          what is there, and what would be used\n"
    "  duoblas tune             find this machine's best kernels and splits (under three minutes)\n"
    "  duoblas bench            compare CPU-only, GPU-only and hybrid\n"
    "  duoblas run -- PROGRAM   a program that is there already, on both sides\n"
    "  duoblas selftest         is the driver right? Two minutes, and a file to send\n"
    "\n"
    "Each subcommand has its own --help. Exit codes: 0 done, 1 failed, 2 wrong usage.\n"
    "No GPU? DUOBLAS_STANDIN=1 lets PoCL stand in for one on half of the cores.";

int run(int argc, char** argv) {
  using namespace duoblas::cli;
  CLI::App app{"DuoBLAS: matrix products on the CPU and the GPU at once"};
  app.set_version_flag("--version", std::string("duoblas ") + duoblas_version());
  // Not require_subcommand(1): that would answer a misspelt one with "a subcommand is required".
  app.require_subcommand(0, 1);
  app.footer(kMainFooter);

  int code = done;
  add_devices(app, code);
  add_doctor(app, code);
  add_tune(app, code);
  add_bench(app, code);
  add_report(app, code);
  add_kernel(app, code);
  add_profile(app, code);
  add_power(app, code);
  add_selftest(app, code);
  const int own = own_arguments(argc, argv);
  add_run(app, code, argv + own);
  add_man(app, code);
  add_completion(app, code);
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? done : usage;
  }
  if (app.get_subcommands().empty()) {
    std::cerr << app.help();
    return usage;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  duoblas::occupy_closed_streams();
  try {
    // How a process asks another about one core type of the CPU BLAS; not for users.
    if (argc == 4 && std::string_view(argv[1]) == duoblas::core_type_probe_argument) {
      std::cout << duoblas::run_core_type_probe(argv[2], argv[3]) << '\n';
      return duoblas::cli::done;
    }
    // What a tuning starts to try kernels in; not for users.
    if (argc == 2 && std::string_view(argv[1]) == duoblas::kernel_trials_argument) {
      return duoblas::run_kernel_trials();
    }
    if (argc == 2 && std::string_view(argv[1]) == duoblas::gemv_trials_argument) {
      return duoblas::run_gemv_trials();
    }
    // One section of a selftest, whose driver may crash or hang; not for users.
    if (argc > 1 && std::string_view(argv[1]) == duoblas::cli::selftest::section_argument) {
      return duoblas::cli::selftest::run_section(argc, argv);
    }
    const int code = run(argc, argv);
    // A full disk or a closed pipe: the command did not deliver its output.
    if (!std::cout.flush()) {
      std::cerr << "duoblas: cannot write to standard output\n";
      return duoblas::cli::failed;
    }
    return code;
  } catch (const duoblas::cli::UsageError& error) {
    std::cerr << "duoblas: " << error.what() << '\n';
    return duoblas::cli::usage;
  } catch (const std::bad_alloc&) {
    std::cerr << "duoblas: memory is short: give smaller sizes\n";
    return duoblas::cli::failed;
  } catch (const std::exception& error) {
    std::cerr << "duoblas: " << error.what() << '\n';
    return duoblas::cli::failed;
  }
}
