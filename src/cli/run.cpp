// duoblas run: an installed program, with the drop-in BLAS before its own.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/arguments.hpp"
#include "cli/measured_blas.hpp"
#include "cli/needed_libraries.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kFooter =
    "PROGRAM [ARGUMENT...] come last, after -- or without it.\n"
    "\n"
    "Examples:\n"
    "  duoblas run -- python3 script.py\n"
    "  duoblas run --summary -- octave-cli script.m    what became of its products\n"
    "  DUOBLAS_VERBOSE=2 duoblas run -- Rscript a.R    a line per call: where, and why\n"
    "\n"
    "The program and its children get LD_PRELOAD, and nothing else is changed, but where it is\n"
    "linked against an OpenBLAS that \"duoblas devices\" or \"duoblas tune\" measured with a "
    "faster\n"
    "core type than its own choice: then that is said and set. Its exit code is\n"
    "passed on; 126: it cannot be executed, 127: it was not found. Static and set-user-ID "
    "programs\n"
    "load nothing before their own libraries, and run as always.";

namespace fs = std::filesystem;

// As installed (lib64 and the like), and as built.
constexpr const char* folders[] = {DUOBLAS_LIBRARIES_FROM_COMMAND, "../lib"};

void require_preloadable(const std::string& path) {
  if (path.find_first_of(" \t\n:") == std::string::npos) return;
  throw Error("LD_PRELOAD cannot hold blanks and colons, and this path has one: " + path +
              "; install DuoBLAS elsewhere");
}

// The absolute path of libduoblas_blas, beside the command's own build or installed tree.
std::string dropin_library() {
  std::error_code failed;
  const fs::path command = fs::read_symlink("/proc/self/exe", failed);
  if (failed) throw Error("cannot find this command's own file: " + failed.message());
  std::string tried;
  for (const char* folder : folders) {
    const fs::path path = (command.parent_path() / folder / DUOBLAS_DROPIN_FILE).lexically_normal();
    if (fs::exists(path, failed)) {
      require_preloadable(path.string());
      return path.string();
    }
    if (tried.find(path.string()) == std::string::npos)
      tried += (tried.empty() ? "" : ", ") + path.string();
  }
  throw Error(
      "the drop-in BLAS is missing (" + tried +
      "): build the target duoblas_blas, or install the whole of DuoBLAS (cmake --install)");
}

void set_variable(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw Error("memory is short");
}

void preload(const std::string& library) {
  const char* others = std::getenv("LD_PRELOAD");
  const bool has_others = others != nullptr && *others != '\0';
  set_variable("LD_PRELOAD", has_others ? library + ":" + others : library);
}

/// Only for a library that was measured, and only where nobody has chosen yet: what the program
/// would load later is not known, and stays as it is.
void choose_core_type(const char* program) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  std::vector<SlowChoice> slow;
  try {
    slow = slow_choices(settings_from_environment().profile_dir);
  } catch (const Error&) {
    return;  // wrong settings are the engine's to tell of
  }
  if (slow.empty()) return;
  const auto needed = needed_libraries(program, std::getenv("PATH"));
  for (const SlowChoice& choice : slow) {
    if (std::find(needed.begin(), needed.end(), choice.library) == needed.end()) continue;
    std::cerr << "duoblas: left alone, " << choice.library << " takes core type " << choice.chosen
              << "; " << choice.better << " was " << fixed(choice.times, 2)
              << " times as fast here: OPENBLAS_CORETYPE=" << choice.better << " for " << program
              << '\n';
    return set_variable("OPENBLAS_CORETYPE", choice.better);
  }
}

/// Returns only where the program cannot be started.
int become(char** program) {
  ::execvp(program[0], program);
  const int why = errno;
  std::cerr << "duoblas: cannot run " << program[0] << ": " << std::strerror(why) << '\n';
  return why == ENOENT ? program_not_found : program_not_executable;
}

int run(char** program, bool summary) {
  if (*program == nullptr)
    throw UsageError("which program? e.g. duoblas run -- python3 script.py (see --help)");
  const std::string dropin = dropin_library();
  choose_core_type(*program);
  preload(dropin);
  if (summary) set_variable("DUOBLAS_SUMMARY", "1");
  return become(program);
}

}  // namespace

int own_arguments(int count, char** arguments) {
  if (count < 2 || std::string_view(arguments[1]) != "run") return count;
  int own = 2;
  while (own < count && *arguments[own] == '-' && std::string_view(arguments[own]) != "--") ++own;
  return own;
}

void add_run(CLI::App& app, int& code, char** program) {
  auto summary = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "run", "Run a program that is already there, with its large products on both sides");
  command->add_flag("--summary", *summary,
                    "Print at its end, on standard error, what became of its products");
  command->footer(kFooter);
  command->callback([summary, program, &code] {
    const bool is_marked = *program != nullptr && std::string_view(*program) == "--";
    code = run(is_marked ? program + 1 : program, *summary);
  });
}

}  // namespace duoblas::cli
