// duoblas run: an installed program, with the drop-in BLAS before its own.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/arguments.hpp"
#include "cli/core_types.hpp"
#include "cli/doctor/trouble.hpp"
#include "cli/needed_libraries.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "os/other_programs.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kRunFooter =
    "PROGRAM [ARGUMENT...] come last, after -- or without it.\n"
    "\n"
    "Examples:\n"
    "  duoblas run -- python3 script.py\n"
    "  duoblas run --summary -- octave-cli script.m    what became of its products\n"
    "  DUOBLAS_VERBOSE=2 duoblas run -- Rscript a.R    a line per call: where, and why\n"
    "\n"
    "The program and its children get LD_PRELOAD; and ASAN_OPTIONS, so that those that are linked\n"
    "with AddressSanitizer start. Nothing else is changed, but in two cases. Where the program is\n"
    "linked against an OpenBLAS that \"duoblas devices\" or \"duoblas tune\" measured with a "
    "faster\n"
    "core type than its own choice, that is said and set. And where it is a rank of MPI that may\n"
    "use a device, its malloc is asked for large pages, unless GLIBC_TUNABLES has\n"
    "glibc.malloc.hugetlb. The program's exit code is passed on; 126: it cannot be executed, 127:\n"
    "it was not found. Static and set-user-ID programs load nothing before their own libraries,\n"
    "and run as always: a line says so.";

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

bool is_any_of(std::string_view path, std::initializer_list<const char*> names) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return std::any_of(names.begin(), names.end(),
                     [file](const char* name) { return file.starts_with(name); });
}

bool is_asan(const std::string& path) {
  return is_any_of(path, {"libasan.", "libclang_rt.asan"});
}

bool is_sanitizers_runtime(const std::string& path) {
  return is_any_of(path,
                   {"libasan.", "libhwasan.", "liblsan.", "libtsan.", "libubsan.", "libclang_rt."});
}

bool is_cxx_library(const std::string& path) {
  return is_any_of(path, {"libstdc++."});
}

std::vector<std::string> libraries_in(std::string list) {
  std::replace(list.begin(), list.end(), ':', ' ');
  std::istringstream words(list);
  return {std::istream_iterator<std::string>(words), {}};
}

/// Before the others, but behind a sanitizer's runtime, which has to be a process's first library.
/// AddressSanitizer looks for the C++ library's functions when it starts, and ends a program of C
/// at our first exception, or a driver's, unless they are there by then.
std::string preloaded(std::vector<std::string> libraries, const std::string& dropin,
                      const std::vector<std::string>& needed) {
  const auto has = [&](bool (*is)(const std::string&)) {
    return std::any_of(libraries.begin(), libraries.end(), is) ||
           std::any_of(needed.begin(), needed.end(), is);
  };
  const bool lacks_cxx = has(is_asan) && !has(is_cxx_library);
  const auto runtime = std::find_if(libraries.rbegin(), libraries.rend(), is_sanitizers_runtime);
  libraries.insert(runtime.base(), dropin);
  if (lacks_cxx) libraries.push_back("libstdc++.so.6");
  return joined(libraries, ":");
}

/// A program that is linked with AddressSanitizer refuses to start behind any other library. Ours
/// has none of the names that it minds. To preload its runtime would give it to the program's
/// children too, of which it ends many for leaks of memory; and a program may start one by a shell.
void let_sanitized_programs_start() {
  const char* options = std::getenv("ASAN_OPTIONS");
  const bool has_options = options != nullptr && *options != '\0';
  set_variable("ASAN_OPTIONS",
               (has_options ? options + std::string(":") : "") + "verify_asan_link_order=0");
}

void preload(const std::string& dropin, const std::vector<std::string>& needed) {
  const char* others = std::getenv("LD_PRELOAD");
  const auto libraries = libraries_in(others != nullptr ? others : "");
  set_variable("LD_PRELOAD", preloaded(libraries, dropin, needed));
  if (libraries.empty()) let_sanitized_programs_start();
}

/// Only for a library that was measured, and only where nobody has chosen yet: what the program
/// would load later is not known, and stays as it is.
void choose_core_type(const char* program, const std::vector<std::string>& needed) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  std::vector<SlowChoice> slow;
  try {
    slow = slow_choices(settings_from_environment().profile_dir);
  } catch (const Error&) {
    return;  // wrong settings are the engine's to tell of
  }
  for (const SlowChoice& choice : slow) {
    if (std::find(needed.begin(), needed.end(), choice.library) == needed.end()) continue;
    std::cerr << "duoblas: left alone, " << choice.library << " takes core type " << choice.chosen
              << "; " << choice.better << " was " << fixed(choice.times, 2)
              << " times as fast here: OPENBLAS_CORETYPE=" << choice.better << " for " << program
              << '\n';
    return set_variable("OPENBLAS_CORETYPE", choice.better);
  }
}

bool is_rank_with_device() {
  try {
    const Settings settings = settings_from_environment();
    return settings.rank.is_of_many() && settings.device != "none" &&
           settings.strategy != Strategy::cpu;
  } catch (const Error&) {
    return false;  // wrong settings are the engine's to tell of
  }
}

/// Beside a GPU a rank's program takes larger blocks than without one, and malloc maps work arrays
/// of more than 32 MiB anew each time: HPL took 240,000 page faults in 5 s (docs/mpi.md).
void ask_for_large_pages() {
  const char* given = std::getenv("GLIBC_TUNABLES");
  const std::string tunables = given != nullptr ? given : "";
  const std::string own = "glibc.malloc.hugetlb";
  if (tunables.find(own) != tunables.npos) return;
  set_variable("GLIBC_TUNABLES", (tunables.empty() ? "" : tunables + ":") + own + "=1");
}

void say_if_not_reached(const char* program, const char* search_path) {
  for (const Trouble& trouble : unreached_program(program, search_path, false))
    if (trouble.weight != Weight::breaks) std::cerr << "duoblas: " << trouble.what << '\n';
}

/// Returns only where the program cannot be started.
int become(char** program) {
  const int why = become_program(program);
  std::cerr << "duoblas: cannot run " << program[0] << ": " << std::strerror(why) << '\n';
  return why == ENOENT ? program_not_found : program_not_executable;
}

int run(char** program, const std::string& summary) {
  if (*program == nullptr)
    throw UsageError("which program? e.g. duoblas run -- python3 script.py (see --help)");
  const std::string dropin = dropin_library();
  say_if_not_reached(*program, std::getenv("PATH"));
  const auto needed = needed_libraries(*program, std::getenv("PATH"));
  choose_core_type(*program, needed);
  preload(dropin, needed);
  if (is_rank_with_device()) ask_for_large_pages();
  if (!summary.empty()) set_variable("DUOBLAS_SUMMARY", summary);
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
  auto summary = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "run", "Run a program that is already there, with its large products on both sides");
  command
      ->add_flag(
          "--summary{1}", *summary,
          "Print at its end, on standard error, what became of its products; of ranks of one "
          "job in one table for each host, or with --summary=rank in one for each")
      ->check(CLI::IsMember({"1", "rank"}));
  command->footer(kRunFooter);
  command->callback([summary, program, &code] {
    const bool is_marked = *program != nullptr && std::string_view(*program) == "--";
    code = run(is_marked ? program + 1 : program, *summary);
  });
}

}  // namespace duoblas::cli
