#include <dlfcn.h>

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
#include "profile/profile.hpp"

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* send_a_selftest =
    "duoblas selftest --json selftest.json    # and send the file";

bool is_there(const std::string& library) {
  if (library.find('/') != std::string::npos) return fs::exists(library);
  // It stays loaded, as what OpenCL's loader opens does.
  return ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr;
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

// "..., what to do": the last part is the command.
std::string before(const std::string& text, const std::string& mark) {
  return text.substr(0, text.rfind(mark));
}

std::string lack_of_doubles(Fp64Mode mode) {
  return std::string(" has no double precision: doubles stay on the CPU") +
         (mode == Fp64Mode::native ? ""
                                   : ", unless its products by integers were tuned (duoblas tune), "
                                     "or the GPU is asked for");
}

}  // namespace

std::vector<Trouble> device_troubles(Engine& engine, const std::vector<cl::Device>& devices) {
  std::vector<Trouble> troubles;
  for (const DriverHint& hint : driver_hints(devices))
    troubles.push_back({Weight::no_gpu, hint.what, hint.mend});
  const GpuSide* gpu = engine.gpu();
  if (gpu == nullptr && troubles.empty())
    troubles.push_back(
        {Weight::no_gpu,
         "no GPU can be used, and the CPU does everything: " + engine.facts().gpu_problem(),
         "install the OpenCL driver of your GPU (docs/drivers.md has its package)"});
  if (const std::string story = engine.facts().passed_over(); !story.empty())
    troubles.push_back({Weight::slows, "passed over: " + story, send_a_selftest});
  // By integers it is as if it had none.
  const Fp64Mode mode = engine.settings().fp64;
  if (gpu != nullptr && !gpu->info().has_fp64 && mode != Fp64Mode::integers) {
    const bool is_rusticl = gpu->info().platform.find("rusticl") != std::string::npos;
    troubles.push_back({Weight::tells, gpu->info().name + lack_of_doubles(mode),
                        is_rusticl ? "export RUSTICL_FEATURES=fp64"
                                   : "use single precision (float32) where that is enough"});
  }
  return troubles;
}

std::vector<Trouble> dangling_icd_files(const fs::path& vendors) {
  std::vector<Trouble> troubles;
  for (const fs::path& file : icd_files(vendors)) {
    std::string library;
    if (std::ifstream lines(file); std::getline(lines, library) && is_there(library)) continue;
    troubles.push_back(
        {Weight::slows,
         file.string() + (library.empty() ? " names no library"
                                          : " names " + library +
                                                ", which is not "
                                                "there or cannot be loaded"),
         "install its package again, or remove the file (dpkg -S " + file.string() + ")"});
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
    troubles.push_back({Weight::slows, before(advice, ": run "), "duoblas tune"});
  else
    for (const Arithmetic arithmetic : arithmetics_of(engine.machine().device))
      for (Trouble& trouble :
           old_profile(fs::path(engine.settings().profile_dir) /
                       profile_file_name(engine.facts().profile_key(arithmetic))))
        troubles.push_back(std::move(trouble));
  return troubles;
}

}  // namespace duoblas::cli
