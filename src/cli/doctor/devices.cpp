// What doctor says of devices: no driver, no profile, quarantined kernels.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <duoblas/error.hpp>

#include "cli/doctor/trouble.hpp"
#include "cli/driver_hints.hpp"
#include "cli/kernel_verdict_lines.hpp"
#include "os/dynamic_library.hpp"
#include "planner/planner.hpp"
#include "profile/profile.hpp"

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* send_a_selftest =
    "duoblas selftest --json selftest.json    # and send the file";

bool is_there(const std::string& library) {
  if (library.find('/') != std::string::npos) return fs::exists(library);
  // It stays loaded, as what OpenCL's loader opens does.
  return open_library(library.c_str()) != nullptr;
}

std::vector<fs::path> icd_files(const fs::path& vendors) {
  std::error_code failed;
  std::vector<fs::path> files;
  // It may name a library, too, or what is not there.
  if (!fs::is_directory(vendors, failed)) {
    if (vendors.extension() == ".icd") files.push_back(vendors);
    return files;
  }
  for (const auto& entry : fs::directory_iterator(vendors, failed))
    if (entry.path().extension() == ".icd") files.push_back(entry.path());
  return files;
}

// What is done where no driver shows a device that could be used, by what was asked for.
std::string mend_without_gpu(const Settings& settings, const Environment& environment,
                             const std::string& problem) {
  if (!settings.device.empty())
    return "unset DUOBLAS_DEVICE    # \"duoblas devices\" lists what it may name";
  if (problem.find("POCL_CACHE_DIR") != std::string::npos)
    return "export POCL_CACHE_DIR=...    # for PoCL: a folder that you may write to";
  if (environment.contains("OCL_ICD_VENDORS"))
    return "unset OCL_ICD_VENDORS    # drivers that are not in what it names are not found";
  if (settings.standin) return "sudo apt-get install pocl-opencl-icd";
  return "install the OpenCL driver of your GPU (docs/drivers.md has its package)";
}

// "..., what to do": the last part is the command.
bool is_doubtful(const PlanMachine& machine) {
  return std::ranges::any_of(arithmetics_of(machine.device), [&](Arithmetic arithmetic) {
    const ProfileInUse& tuned = machine.tuned(arithmetic);
    return tuned.is_tuned() && !tuned.profile->doubt.empty();
  });
}

std::string before(const std::string& text, const std::string& mark) {
  return text.substr(0, text.rfind(mark));
}

}  // namespace

std::vector<Trouble> device_troubles(Engine& engine, const std::vector<cl::Device>& devices,
                                     const Environment& environment) {
  std::vector<Trouble> troubles;
  for (const DriverHint& hint : driver_hints(devices))
    troubles.push_back({Weight::no_gpu, hint.what, hint.mend});
  const GpuSide* gpu = engine.gpu();
  const Settings& settings = engine.settings();
  // Where a card has no driver, that is why; but not of a device that was named.
  if (gpu == nullptr && (troubles.empty() || !settings.device.empty())) {
    const std::string problem = engine.facts().gpu_problem();
    troubles.push_back({Weight::no_gpu,
                        "no GPU can be used, and the CPU does everything: " + problem,
                        mend_without_gpu(settings, environment, problem)});
  }
  if (const std::string story = engine.facts().passed_over(); !story.empty())
    troubles.push_back({Weight::slows, "passed over: " + story, send_a_selftest});
  // As OpenCL lists it: opened with DUOBLAS_FP64=integers it has no doubles.
  for (const cl::Device& device : devices)
    if (gpu != nullptr && device.info.index == gpu->info().index)
      for (Trouble& trouble : lack_of_doubles(device.info, settings.fp64, engine.machine()))
        troubles.push_back(std::move(trouble));
  return troubles;
}

std::vector<Trouble> lack_of_doubles(const cl::DeviceInfo& device, Fp64Mode mode,
                                     const PlanMachine& machine) {
  if (machine.device.has_fp64) return {};
  const bool forgoes = device.has_fp64;
  const std::string without =
      forgoes ? "DUOBLAS_FP64=integers leaves the double precision of " + device.name + " unused, "
              : device.name + " has no double precision, ";
  const bool is_rusticl = device.platform.find("rusticl") != std::string::npos;
  const std::string or_its_own =
      forgoes      ? "    # or unset DUOBLAS_FP64"
      : is_rusticl ? "    # or, with Mesa 23.2 and newer, export RUSTICL_FEATURES=fp64"
                   : "";
  if (mode == Fp64Mode::native)
    return {{Weight::tells, without + "and DUOBLAS_FP64=native leaves doubles to the CPU",
             "unset DUOBLAS_FP64" + or_its_own}};
  if (why_never_gpu(machine, Precision::d))
    return {{Weight::tells,
             without +
                 "and products of doubles by integers, which are as exact, were not tuned: they "
                 "stay on the CPU",
             "duoblas tune" + or_its_own}};
  if (std::ranges::any_of(
          machine.tuned(Precision::d).profile->points, [&](const TunedPoint& point) {
            return make_plan(problem_of(point), machine, {}).strategy != Strategy::cpu;
          }))
    return {};
  return {{Weight::tells,
           without + "and as tuned the CPU is faster than products of doubles by integers",
           "use single precision (float32) where that is enough" + or_its_own}};
}

std::vector<Trouble> dangling_icd_files(const fs::path& vendors) {
  std::vector<Trouble> troubles;
  for (const fs::path& file : icd_files(vendors)) {
    std::string library;
    if (std::ifstream lines(file); std::getline(lines, library) && is_there(library)) continue;
    troubles.push_back({Weight::slows,
                        file.string() + (library.empty() ? " names no library"
                                                         : " names " + library +
                                                               ", which is not "
                                                               "there or cannot be loaded"),
                        "install its package again, or remove the file    # dpkg -S " +
                            file.string() + " names the package"});
  }
  return troubles;
}

std::vector<Trouble> old_profile(const fs::path& file) {
  std::optional<std::string> text;
  try {
    text = read_profile_file(file.string());
  } catch (const SettingError&) {  // told of as a profile that cannot be used
  }
  const auto root = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!root.is_object()) return {};
  const auto version = root.find("version");
  if (version == root.end() || !version->is_number_integer()) return {};
  const auto stored = version->get<std::int64_t>();
  if (stored < Profile::oldest_version || stored >= Profile::current_version) return {};
  return {{Weight::slows,
           "the profile is of an older DuoBLAS (version " + std::to_string(stored) +
               " of the file, this one writes " + std::to_string(Profile::current_version) +
               "): what was not tuned then has no tuned kernels",
           "duoblas tune --fresh"}};
}

std::vector<Trouble> tuning_troubles(Engine& engine) {
  std::vector<Trouble> troubles;
  const GpuSide* gpu = engine.gpu();
  if (gpu == nullptr) return troubles;
  // The first line counts; the others each tell of a kernel.
  const auto lines = verdict_lines(gpu->verdicts(), std::time(nullptr));
  for (std::size_t i = 1; i < lines.size(); ++i)
    troubles.push_back({Weight::slows, "a kernel was wrong, " + lines[i], send_a_selftest});
  if (const std::string problem = engine.facts().profile_problem(); !problem.empty())
    troubles.push_back({Weight::slows, "the profile cannot be used: " + problem, "duoblas tune"});
  else if (const std::string advice = engine.facts().tuning_advice(); !advice.empty())
    troubles.push_back({Weight::slows, before(advice, ": run "),
                        is_doubtful(engine.machine())
                            ? "duoblas tune    # while nothing else works; it starts over"
                            : "duoblas tune"});
  else
    for (const Arithmetic arithmetic : arithmetics_of(engine.machine().device))
      for (Trouble& trouble :
           old_profile(fs::path(engine.settings().profile_dir) /
                       profile_file_name(engine.facts().profile_key(arithmetic))))
        troubles.push_back(std::move(trouble));
  return troubles;
}

}  // namespace duoblas::cli
