// duoblas doctor: what stands between this user and a faster program, worst first.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/doctor/trouble.hpp"
#include "cli/driver_hints.hpp"
#include "cli/json_file.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "cpu/cpu_limits.hpp"
#include "os/host_environment.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kDoctorFooter =
    "Exit code: 0 nothing is wrong, 1 something was found.\n"
    "\n"
    "Examples:\n"
    "  duoblas doctor                     driver, rights, profile, settings, CPU BLAS, power\n"
    "  duoblas doctor -- python3 a.py     and whether a preloaded library reaches that program";

struct DoctorOptions {
  std::string json;
  bool quick = false;
  std::vector<std::string> program;
};

void add(std::vector<Trouble>& troubles, std::vector<Trouble>&& more) {
  troubles.insert(troubles.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

// The CPU BLAS that programs find is measured where that was not done.
void look_at_cpu_blas(Engine& engine, const Environment& environment, bool quick,
                      std::vector<Trouble>& troubles) {
  try {
    if (!quick) measured_core_types(engine);
  } catch (const CpuBlasError& error) {
    troubles.push_back({Weight::breaks, error.what(), "sudo apt-get install libopenblas0-pthread"});
  }
  add(troubles, core_types(environment, slow_choices(engine.settings().profile_dir)));
}

std::vector<Trouble> troubles_here(const DoctorOptions& options) {
  const Environment environment = driver_environment();
  std::vector<Trouble> troubles = unknown_variables(environment);
  Settings settings = readable_settings(troubles);
  settings.verbose = 0;
  add(troubles, settings_without_gpu(settings));
  add(troubles, unwritable_folders(settings));
  Engine engine(settings);
  engine.gpu();  // before devices are listed: a stand-in starts PoCL on its half of the cores
  const auto devices = cl::list_devices();
  const auto vendors = environment.find("OCL_ICD_VENDORS");
  add(troubles, device_troubles(engine, devices, environment));
  add(troubles,
      dangling_icd_files(vendors != environment.end() ? vendors->second : "/etc/OpenCL/vendors"));
  add(troubles, tuning_troubles(engine));
  look_at_cpu_blas(engine, environment, options.quick, troubles);
  add(troubles, thread_limits(environment, static_cast<int>(allowed_cores().size())));
  add(troubles, power_troubles());
  if (!options.program.empty())
    add(troubles,
        unreached_program(options.program.front(), host_variable("PATH").value_or("").c_str()));
  std::ranges::stable_sort(troubles, {}, &Trouble::weight);
  return troubles;
}

void print(const std::vector<Trouble>& troubles) {
  constexpr std::size_t columns = 100;
  int number = 0;
  for (const Trouble& trouble : troubles) {
    const std::string text = std::to_string(++number) + ". " + trouble.what;
    for (const std::string& line : wrapped(text, columns, "   ")) std::cout << line << '\n';
    const char* before = "   -> ";
    for (const std::string& line : wrapped(trouble.mend, columns)) {
      std::cout << before << line << '\n';
      before = "      ";
    }
  }
  if (troubles.empty()) std::cout << "Nothing is wrong here.\n";
}

int run(const DoctorOptions& options) {
  const std::vector<Trouble> troubles = troubles_here(options);
  if (options.json != "-") print(troubles);
  if (!options.json.empty()) {
    nlohmann::json list = nlohmann::json::array();
    for (const Trouble& trouble : troubles)
      list.push_back({{"what", trouble.what},
                      {"mend", trouble.mend},
                      {"weight", static_cast<int>(trouble.weight)}});
    write_json(options.json, {{"troubles", list}});
  }
  return troubles.empty() ? done : failed;
}

}  // namespace

void add_doctor(CLI::App& app, int& code) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Say what is missing or slow on this machine, worst first, and what mends it");
  add_value(*command, "--json", options->json, "FILE",
            "Write what was found to this file (- for stdout)");
  command->add_flag("--quick", options->quick, "Do not measure the CPU BLAS's core types");
  add_value(*command, "program", options->program, "PROGRAM",
            "A program, behind --: does a preloaded library reach it?");
  command->footer(kDoctorFooter);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace duoblas::cli
